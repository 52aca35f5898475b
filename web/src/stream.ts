import { followRun, type StreamListener } from './stream-source.ts';
import type { ToTab, ToWorker } from './stream-worker.ts';

type TrustedTypes = {
  createPolicy: (
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ) => {
    createScriptURL: (url: string) => string;
  };
};

/** Strings become script addresses in this one place, and only this one address does. */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy(
  'charrette-worker',
  {
    createScriptURL: (url) => (url === '/stream.js' ? url : ''),
  },
);

let port: MessagePort | undefined;
const listeners = new Map<string, Set<StreamListener>>();

/** The news of a run. A worker that all tabs share keeps one connection; where there is none, the tab has its own. */
export function openStream(run: string, after: number, listener: StreamListener): () => void {
  if (typeof SharedWorker === 'undefined') return followRun(run, after, listener).close;
  port ??= connect();
  const own = listeners.get(run) ?? new Set();
  own.add(listener);
  listeners.set(run, own);
  post({ type: 'join', run, after });
  return () => {
    own.delete(listener);
    if (own.size === 0) {
      listeners.delete(run);
      post({ type: 'leave', run });
    }
  };
}

function post(message: ToWorker): void {
  port?.postMessage(message);
}

function connect(): MessagePort {
  const worker = new SharedWorker(policy?.createScriptURL('/stream.js') ?? '/stream.js', {
    name: 'charrette-stream',
  });
  worker.port.onmessage = ({ data }: MessageEvent<ToTab>) => {
    for (const listener of listeners.get(data.run) ?? []) {
      if (data.type === 'lines') listener.lines(data.lines, data.at);
      else if (data.type === 'state') listener.state(data.text);
      else listener.connected(data.yes, data.at);
    }
  };
  worker.port.start();
  // A tab that goes away cannot say so later.
  addEventListener('pagehide', () => post({ type: 'close' }));
  return worker.port;
}
