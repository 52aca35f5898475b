import { inspect } from 'node:util';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

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
