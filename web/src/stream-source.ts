import { Retry } from './retry.ts';

/** `at`: number of the last event that the stream is past. */
export type StreamListener = {
  /** Events as JSON documents. */
  lines: (lines: string[], at: number) => void;
  state: (text: string) => void;
  connected: (yes: boolean, at: number) => void;
};

export type RunStream = {
  /** Asks at once again a server that refused the connection. */
  hurry: () => void;
  close: () => void;
};

const togetherMs = 16;

/**
 * One connection for one run. The browser reopens one that broke and says which event it saw last; one that
 * was refused (401, 502, 503) it drops, and another is opened after a pause.
 */
export function followRun(run: string, after: number, listener: StreamListener): RunStream {
  let at = after;
  let waiting: string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stream: EventSource;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const lines = waiting;
    waiting = [];
    if (lines.length > 0) listener.lines(lines, at);
  };
  const tellConnected = (yes: boolean) => {
    flush();
    listener.connected(yes, at);
  };
  const open = () => {
    stream = new EventSource(`/api/runs/${encodeURIComponent(run)}/stream?after=${at}`);
    stream.onopen = () => {
      retry.succeeded();
      tellConnected(true);
    };
    stream.onerror = () => {
      if (stream.readyState === EventSource.CLOSED) retry.later();
      tellConnected(false);
    };
    stream.onmessage = (event: MessageEvent<string>) => {
      at = Number(event.lastEventId) || at;
      waiting.push(event.data);
      timer ??= setTimeout(flush, togetherMs);
    };
    stream.addEventListener('state', (event: MessageEvent<string>) => {
      flush();
      listener.state(event.data);
    });
  };
  const retry = new Retry(open);
  open();
  return {
    hurry: () => retry.hurry(),
    close() {
      clearTimeout(timer);
      retry.stop();
      stream.close();
    },
  };
}
