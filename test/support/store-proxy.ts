import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the way to a server does to a connection. `silent` takes bytes and gives none, in both directions. */
export type Way = 'open' | 'refused' | 'silent';

export type StoreProxy = {
  port: number;
  /** Changes the behaviour for new and open connections; `refused` cuts them. */
  set(way: Way): void;
  /** Ends all open connections; new ones go through. */
  cut(): void;
  /** How long an answer takes in addition, from now on. */
  delay(milliseconds: () => number): void;
  connections(): number;
  close(): Promise<void>;
};

/** A way to a server on loopback that can be made worse while it is used. */
export async function startStoreProxy(target: number): Promise<StoreProxy> {
  let way: Way = 'open';
  let delayOf = () => 0;
  const pairs = new Set<readonly [Socket, Socket]>();
  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  const forward = async (from: Socket, to: Socket) => {
    try {
      for await (const chunk of from) {
        const wait = delayOf();
        if (wait > 0) await sleep(wait);
        // What was sent meanwhile is lost, as on a broken connection.
        if (way === 'open' && !to.destroyed) to.write(chunk);
      }
    } catch {
      // A cut connection; the other half is ended below.
    }
    if (way === 'open') to.destroy();
  };
  const server = createServer((near) => {
    near.on('error', () => {});
    if (way === 'refused') return void near.destroy();
    const far = connect(target, '127.0.0.1');
    far.on('error', () => near.destroy());
    const pair = [near, far] as const;
    pairs.add(pair);
    near.on('close', () => {
      far.destroy();
      pairs.delete(pair);
    });
    void forward(near, far);
    void forward(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    set(next) {
      way = next;
      if (next === 'refused') cut();
    },
    cut,
    delay(milliseconds) {
      delayOf = milliseconds;
    },
    connections: () => pairs.size,
    close() {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
