import { createHash } from 'node:crypto';

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
