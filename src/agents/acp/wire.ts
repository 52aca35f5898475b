import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { isRecord, readJson } from '../../base/safe-json.ts';

/** A stream of protocol messages over the lines of a process. */
export type Wire = {
  stream: Stream;
  /** One line of the agent's output. What is no message (banners, logs) is ignored. */
  push(line: string): void;
  /** The agent has gone; requests that are open fail. */
  close(): void;
};

export function openWire(write: (text: string) => void): Wire {
  let controller: ReadableStreamDefaultController<AnyMessage> | undefined;
  const readable = new ReadableStream<AnyMessage>({
    start: (given) => {
      controller = given;
    },
  });
  const writable = new WritableStream<AnyMessage>({
    write: (message) => write(`${JSON.stringify(message)}\n`),
  });
  return {
    stream: { readable, writable },
    push(line) {
      const reading = readJson(line);
      if (reading.ok && isRecord(reading.value) && isMessage(reading.value)) {
        controller?.enqueue(reading.value as unknown as AnyMessage);
      }
    },
    close() {
      try {
        controller?.close();
      } catch {
        // Closed before: the connection let go of it first.
      }
      controller = undefined;
    },
  };
}

/** Answers carry the number we gave the question: the library prints any other on the terminal as it came. */
function isMessage({ jsonrpc, method, id }: Record<string, unknown>): boolean {
  return jsonrpc === '2.0' && (method !== undefined || typeof id === 'number');
}
