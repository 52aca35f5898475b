import { inspect } from 'node:util';
import {
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { SpanDraft } from './spans.ts';
import { type Protocol, spanIdOf, type TraceIdentity } from './telemetry.ts';

export type SpanSink = {
  put(span: SpanDraft): void;
  /** Sends what is left; returns why something could not be sent. */
  close(): Promise<string | undefined>;
};

const closeLimitSeconds = 5;

/** Spans through the official SDK; endpoint, headers, time-outs and resource come from its standard variables. */
export async function openSink(
  protocol: Protocol,
  run: string,
  { traceId, parentSpanId }: TraceIdentity,
  version: string,
  print: (text: string) => void,
): Promise<SpanSink> {
  let failure: string | undefined;
  const exporter = await exporterFor(protocol, print);
  const watched: SpanExporter = {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined) failure ??= result.error.message;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
  // Ids are known before spans are: children leave before their parents end, from whichever process.
  let nextSpanId = '';
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'charrette', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    idGenerator: { generateTraceId: () => traceId, generateSpanId: () => nextSpanId },
    spanProcessors: [new BatchSpanProcessor({ exporter: watched })],
  });
  const tracer = provider.getTracer('charrette', version);
  const contextOf = (spanId: string | undefined) => {
    if (spanId === undefined) return ROOT_CONTEXT;
    const parent: SpanContext = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
    return trace.setSpanContext(ROOT_CONTEXT, parent);
  };
  return {
    put({ key, parent, name, kind, start, end, attributes, error }) {
      nextSpanId = spanIdOf(run, key);
      const above = parent === undefined ? parentSpanId : spanIdOf(run, parent);
      const kinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT };
      const span = tracer.startSpan(
        name,
        { kind: kinds[kind], startTime: start, attributes },
        contextOf(above),
      );
      if (error !== undefined) {
        span.setAttribute('error.type', error);
        span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      }
      span.end(Math.max(start, end));
    },
    async close() {
      const closed = provider.shutdown().then(() => undefined, String);
      // The exporter would retry for longer than a user wants to wait.
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<string>((resolve) => {
        const reason = `the collector did not take them within ${closeLimitSeconds} seconds`;
        timer = setTimeout(resolve, closeLimitSeconds * 1000, reason);
      });
      const problem = await Promise.race([closed, late]);
      clearTimeout(timer);
      return failure ?? problem;
    },
  };
}

async function exporterFor(protocol: Protocol, print: (text: string) => void): Promise<SpanExporter> {
  if (protocol === 'console') return printingExporter(print);
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
}

/** Spans for the eye, one after the other. The SDK's own exporter of this kind would write them into our answer on stdout. */
export function printingExporter(print: (text: string) => void): SpanExporter {
  return {
    export(spans, done) {
      for (const span of spans) print(`${inspect(factsOf(span), { depth: 3 })}\n`);
      done({ code: 0 });
    },
    async shutdown() {},
  };
}

function factsOf(span: ReadableSpan) {
  const { traceId, spanId } = span.spanContext();
  const [seconds, nanoseconds] = span.startTime;
  return {
    name: span.name,
    traceId,
    id: spanId,
    parent: span.parentSpanContext?.spanId,
    start: new Date(seconds * 1000 + nanoseconds / 1e6).toISOString(),
    milliseconds: span.duration[0] * 1000 + span.duration[1] / 1e6,
    attributes: span.attributes,
    status: span.status,
    resource: span.resource.attributes,
  };
}
