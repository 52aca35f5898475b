import { createHash } from 'node:crypto';
import { version } from '../../base/version.ts';
import { readEvents } from '../../engine/event-log.ts';
import { readLedger } from '../../engine/ledger.ts';
import type { OpenObserver } from '../../service/command.ts';
import { settingsOf } from '../../service/project.ts';
import { nothingTraced, traceEvent } from './spans.ts';

const silent: Awaited<ReturnType<OpenObserver>> = { hear() {}, close: async () => undefined };

/** Follows a run with spans when the standard variables ask for it; otherwise nothing is loaded. */
export const openTelemetry: OpenObserver = async (project, directory, print) => {
  const { env } = project;
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
  const { prices } = await settingsOf(project);
  const options = { title, ...(prices === undefined ? {} : { prices }) };
  const ledger = () => readLedger(directory.ledger);
  // Earlier events were exported by the process that wrote them.
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
};

/** How spans leave the program. */
export type Protocol = 'http/protobuf' | 'http/json' | 'console';

export type Wanted =
  | { wanted: false }
  | { wanted: true; protocol: Protocol }
  | { wanted: true; unsupported: string };

/**
 * Whether the standard variables ask for traces. Nothing is exported unless an endpoint or an exporter is named; what
 * is requested and cannot be done is reported instead of being skipped.
 */
export function wantedTelemetry(env: NodeJS.ProcessEnv): Wanted {
  const read = (name: string) => (env[name] ?? '').trim();
  if (read('OTEL_SDK_DISABLED').toLowerCase() === 'true') return { wanted: false };
  const exporter = read('OTEL_TRACES_EXPORTER');
  const endpoint = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') || read('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (exporter === 'none' || (exporter === '' && endpoint === '')) return { wanted: false };
  if (exporter === 'console') return { wanted: true, protocol: 'console' };
  if (exporter !== '' && exporter !== 'otlp')
    return { wanted: true, unsupported: `OTEL_TRACES_EXPORTER=${exporter}` };
  // Not named: it may hold a password.
  if (endpoint !== '' && !/^https?:\/\/./i.test(endpoint))
    return { wanted: true, unsupported: 'an endpoint that does not begin with http:// or https://' };
  const protocol =
    read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') || read('OTEL_EXPORTER_OTLP_PROTOCOL') || 'http/protobuf';
  if (protocol === 'http/protobuf' || protocol === 'http/json') return { wanted: true, protocol };
  return { wanted: true, unsupported: `OTEL_EXPORTER_OTLP_PROTOCOL=${protocol}` };
}

/** The trace that a run belongs to. The same run has the same ids in every process that works on it. */
export type TraceIdentity = { traceId: string; parentSpanId: string | undefined };

/** A caller that traces says so in `TRACEPARENT`; the run is a part of its trace then. */
export function traceOf(run: string, env: NodeJS.ProcessEnv): TraceIdentity {
  const [, traceId, parentSpanId] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(env['TRACEPARENT'] ?? '') ?? [];
  if (
    traceId !== undefined &&
    parentSpanId !== undefined &&
    /[1-9a-f]/.test(traceId) &&
    /[1-9a-f]/.test(parentSpanId)
  )
    return { traceId, parentSpanId };
  return { traceId: digest(`trace ${run}`, 32), parentSpanId: undefined };
}

export function spanIdOf(run: string, key: string): string {
  return digest(`span ${run} ${key}`, 16);
}

function digest(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
