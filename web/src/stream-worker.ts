import { followRun, type RunStream } from './stream-source.ts';

export type ToWorker =
  | { type: 'join'; run: string; after: number }
  | { type: 'leave'; run: string }
  | { type: 'close' };

export type ToTab =
  | { type: 'lines'; run: string; lines: string[]; at: number }
  | { type: 'state'; run: string; text: string }
  | { type: 'connected'; run: string; yes: boolean; at: number };

type Stream = {
  ports: Set<MessagePort>;
  source: RunStream;
  state: string | undefined;
  /** Absent until the first attempt has an answer. */
  connected: boolean | undefined;
  at: number;
};

const streams = new Map<string, Stream>();

function join(port: MessagePort, run: string, after: number): void {
  const stream = streams.get(run) ?? open(run, after);
  const { connected, state, at } = stream;
  stream.ports.add(port);
  // A tab that comes later learns where the stream is and fetches what came before.
  if (connected !== undefined) tell([port], { type: 'connected', run, yes: connected, at });
  if (state !== undefined) tell([port], { type: 'state', run, text: state });
  // With a tab may have come the token that the server was missing.
  stream.source.hurry();
}

function open(run: string, after: number): Stream {
  const ports = new Set<MessagePort>();
  const source = followRun(run, after, {
    lines(lines, at) {
      stream.at = at;
      tell(ports, { type: 'lines', run, lines, at });
    },
    state(text) {
      stream.state = text;
      tell(ports, { type: 'state', run, text });
    },
    connected(yes, at) {
      Object.assign(stream, { connected: yes, at });
      tell(ports, { type: 'connected', run, yes, at });
    },
  });
  const stream: Stream = { ports, source, state: undefined, connected: undefined, at: after };
  streams.set(run, stream);
  return stream;
}

function leave(port: MessagePort, run: string): void {
  const stream = streams.get(run);
  if (stream === undefined) return;
  stream.ports.delete(port);
  if (stream.ports.size > 0) return;
  streams.delete(run);
  stream.source.close();
}

function tell(ports: Iterable<MessagePort>, message: ToTab): void {
  for (const port of ports) port.postMessage(message);
}

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports;
  if (port === undefined) return;
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    if (data.type === 'join') join(port, data.run, data.after);
    else if (data.type === 'leave') leave(port, data.run);
    else for (const run of [...streams.keys()]) leave(port, run);
  };
  port.start();
});
