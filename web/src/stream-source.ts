export type StreamListener = {
  /** Events as JSON documents. */
  lines: (lines: string[]) => void;
  state: (text: string) => void;
  /** `at`: number of the last event that the stream is past. */
  connected: (yes: boolean, at: number) => void;
};

const togetherMs = 16;

/** One connection for one run. The browser reconnects by itself and says which event it saw last. */
export function followRun(run: string, after: number, listener: StreamListener): () => void {
  let at = after;
  let waiting: string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    timer = undefined;
    const lines = waiting;
    waiting = [];
    listener.lines(lines);
  };
  const stream = new EventSource(`/api/runs/${encodeURIComponent(run)}/stream?after=${after}`);
  stream.onopen = () => listener.connected(true, at);
  stream.onerror = () => listener.connected(false, at);
  stream.onmessage = (event: MessageEvent<string>) => {
    at = Number(event.lastEventId) || at;
    waiting.push(event.data);
    timer ??= setTimeout(flush, togetherMs);
  };
  stream.addEventListener('state', (event: MessageEvent<string>) => {
    if (timer !== undefined) {
      clearTimeout(timer);
      flush();
    }
    listener.state(event.data);
  });
  return () => {
    clearTimeout(timer);
    stream.close();
  };
}
