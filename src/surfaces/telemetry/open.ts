import type { RunEvent } from '../../engine/event.ts';
import { readEvents } from '../../engine/event-log.ts';
import { readLedger } from '../../engine/ledger.ts';
import type { Price } from '../../engine/prices.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { wantedTelemetry } from './enabled.ts';
import { traceOf } from './identity.ts';
import { nothingTraced, traceEvent } from './spans.ts';

export type Telemetry = {
  hear(event: RunEvent): void;
  /** Sends the rest; gives back a sentence when something could not be sent. */
  close(): Promise<string | undefined>;
};

export type TelemetryOptions = {
  version: string;
  prices?: Readonly<Record<string, Price>> | undefined;
  /** Where spans go that are meant for the eye. */
  print: (text: string) => void;
};

const silent: Telemetry = { hear() {}, close: async () => undefined };

/** Follows a run with spans when the standard variables ask for it; else nothing is loaded and nothing happens. */
export async function openTelemetry(
  directory: RunDirectory,
  env: NodeJS.ProcessEnv,
  { version, prices, print }: TelemetryOptions,
): Promise<Telemetry> {
  const wanted = wantedTelemetry(env);
  if (!wanted.wanted) return silent;
  if ('unsupported' in wanted) {
    const { unsupported } = wanted;
    return {
      ...silent,
      close: async () =>
        `No traces were exported: ${unsupported} is not supported; use OTLP over http/protobuf or http/json.`,
    };
  }
  const { openSink } = await import('./exporter.ts');
  const sink = await openSink(wanted.protocol, directory.id, traceOf(directory.id, env), version, print);
  const title = env['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT']?.toLowerCase() === 'true';
  const options = { title, ...(prices === undefined ? {} : { prices }) };
  const ledger = () => readLedger(directory.ledger);
  // What happened before was told by the process that did it.
  let tracing = readEvents(directory.events).reduce(
    (known, event) => traceEvent(known, event, ledger, options).next,
    nothingTraced,
  );
  return {
    hear(event) {
      const { next, spans } = traceEvent(tracing, event, ledger, options);
      tracing = next;
      for (const span of spans) sink.put(span);
    },
    async close() {
      const failure = await sink.close();
      return failure === undefined ? undefined : `Some traces could not be exported: ${failure}`;
    },
  };
}
