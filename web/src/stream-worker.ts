import { followRun } from './stream-source.ts';

export type ToWorker =
  | { type: 'join'; run: string; after: number }
  | { type: 'leave'; run: string }
  | { type: 'close' };

export type ToTab =
  | { type: 'lines'; run: string; lines: string[] }
  | { type: 'state'; run: string; text: string }
  | { type: 'connected'; run: string; yes: boolean; at: number };

type Stream = {
  ports: Set<MessagePort>;
  close: () => void;
  state: string | undefined;
  yes: boolean;
  at: number;
};

const streams = new Map<string, Stream>();

function join(port: MessagePort, run: string, after: number): void {
  const stream = streams.get(run) ?? open(run, after);
  stream.ports.add(port);
  // A tab that comes later learns where the stream is and fetches what came before.
  if (stream.yes) tell([port], { type: 'connected', run, yes: true, at: stream.at });
  if (stream.state !== undefined) tell([port], { type: 'state', run, text: stream.state });
}

function open(run: string, after: number): Stream {
  const stream: Stream = { ports: new Set(), close: () => {}, state: undefined, yes: false, at: after };
  streams.set(run, stream);
  stream.close = followRun(run, after, {
    lines(lines) {
      stream.at += lines.length;
      tell(stream.ports, { type: 'lines', run, lines });
    },
    state(text) {
      stream.state = text;
      tell(stream.ports, { type: 'state', run, text });
    },
    connected(yes, at) {
      Object.assign(stream, { yes, at });
      tell(stream.ports, { type: 'connected', run, yes, at });
    },
  });
  return stream;
}

function leave(port: MessagePort, run: string): void {
  const stream = streams.get(run);
  if (stream === undefined) return;
  stream.ports.delete(port);
  if (stream.ports.size > 0) return;
  streams.delete(run);
  stream.close();
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
