import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent, AgentTask, CallContext, LaneKind, LaneResult, Probe } from './port.ts';

/** L-124: what is asked, how long, how often. */
export const probeRules = {
  prompt: 'Respond with OK',
  wallMs: 60_000,
  attempts: 3,
  pauseMs: 10_000,
} as const;

/** Failures that another try cannot heal. */
const final: ReadonlySet<LaneKind> = new Set(['unhealthy', 'auth', 'cancelled', 'denied']);

/** L-125: goes through the very same call as production, so a refused flag shows here. L-126: any error is unhealthy. */
export async function probeAgent(
  call: (task: AgentTask, context: CallContext) => Promise<LaneResult>,
  context: Parameters<Agent['probe']>[0],
  rules: { attempts: number; pauseMs: number } = probeRules,
): Promise<Probe> {
  let message = 'The agent was not asked.';
  for (let attempt = 1; attempt <= rules.attempts; attempt += 1) {
    try {
      const result = await call(probeTask(context, attempt), context);
      if (result.kind === 'ok' && saysOk(result.text)) return { healthy: true };
      message =
        result.kind === 'ok'
          ? `The agent should have answered OK but said ${JSON.stringify(result.text.slice(0, 80))}.`
          : (result.message ?? result.kind);
      if (final.has(result.kind)) break;
    } catch (error) {
      message = error instanceof Error ? error.message : String(error);
    }
    if (attempt < rules.attempts) {
      try {
        await sleep(rules.pauseMs, undefined, { signal: context.signal });
      } catch {
        break;
      }
    }
  }
  return { healthy: false, message };
}

/** Exactly `ok` once spaces are gone and case is ignored; a sentence with it in does not count. */
export function saysOk(text: string): boolean {
  return text.replace(/\s+/g, '').toLowerCase() === 'ok';
}

function probeTask(context: Parameters<Agent['probe']>[0], attempt: number): AgentTask {
  return {
    task: 'probe',
    // A probe is about now: no earlier answer may stand for it.
    run: `probe-${randomUUID()}`,
    seat: 'probe',
    attempt,
    prompt: probeRules.prompt,
    directory: context.directory,
    access: 'read',
    limits: { wallMs: probeRules.wallMs, idleMs: probeRules.wallMs },
    laneDirectory: context.laneDirectory,
  };
}
