type Message = { data: string; lastEventId: string };

/** The browser's end of an event stream, driven by a test that plays the server. */
export class FakeEventSource {
  static readonly CLOSED = 2;
  /** All that were opened, oldest first. */
  static opened: FakeEventSource[] = [];

  readonly url: string;
  readyState = 0;
  onopen: (() => void) | undefined;
  onerror: (() => void) | undefined;
  onmessage: ((message: Message) => void) | undefined;
  readonly #others = new Map<string, (message: Message) => void>();

  constructor(url: string) {
    this.url = url;
    FakeEventSource.opened.push(this);
  }

  static get latest(): FakeEventSource {
    const latest = FakeEventSource.opened.at(-1);
    if (latest === undefined) throw new Error('No stream was opened.');
    return latest;
  }

  addEventListener(type: string, listener: (message: Message) => void): void {
    this.#others.set(type, listener);
  }

  close(): void {
    this.readyState = FakeEventSource.CLOSED;
  }

  accept(): void {
    this.readyState = 1;
    this.onopen?.();
  }

  /** An answer such as 401 or 503: browsers give such a stream up. */
  refuse(): void {
    this.close();
    this.onerror?.();
  }

  /** A connection that broke: browsers make it again. */
  drop(): void {
    this.readyState = 0;
    this.onerror?.();
  }

  send(seq: number, data = JSON.stringify({ seq })): void {
    this.onmessage?.({ data, lastEventId: `${seq}` });
  }

  sendState(data: string): void {
    this.#others.get('state')?.({ data, lastEventId: '' });
  }
}
