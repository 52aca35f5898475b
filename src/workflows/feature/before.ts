import { statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { agentVersion } from '../../agents/registry.ts';
import { thisWorld } from '../../agents/settings.ts';
import { agentOf } from '../../council/call/services.ts';
import { timeOf } from '../../engine/clock.ts';
import { probeResume, resumeAbility } from '../../prompts/resume/run-probe.ts';
import { askConsent as askProjectConsent } from '../consent.ts';
import type { FeatureDesk } from './desk.ts';
import { changeState } from './records.ts';
import { withResumeDeferred } from './rules/meta-write.ts';

/** Nobody's agent is called before somebody agreed to it once. */
export function askConsent({ context, inputs, services }: FeatureDesk): Promise<void> {
  const agents = [...new Set([inputs.author, inputs.reviewer])].map((id) => agentOf(services, id));
  const place = inputs.phase === 'implement' ? ', change files in a checkout of their own' : '';
  return askProjectConsent(context, agents, {
    consented: inputs.consented,
    detail: `They are called for ${inputs.phase}${place} and may cost money.`,
  });
}

/** T-115, T-116: whether the sessions of an agent are continued; found out once for each version of it. */
export async function sessionsCanContinue(desk: FeatureDesk, agentId: string): Promise<boolean> {
  const { context, services, inputs } = desk;
  const agent = agentOf(services, agentId);
  if (!agent.capabilities.resume) return false;
  const result = await desk.once(`probe sessions of ${agentId}`, async (signal) => {
    const laneDirectory = path.join(context.live.directory.lanes, `probe-sessions-${agentId}`);
    await mkdir(laneDirectory, { recursive: true });
    const settings = inputs.roster.find(({ id }) => id === agentId);
    const version =
      settings === undefined ? undefined : await agentVersion(settings, thisWorld(), laneDirectory, signal);
    const model = settings?.model === undefined ? '' : ` ${settings.model}`;
    const setting = { directory: laneDirectory, laneDirectory, signal, onEvent: () => {} };
    const token = context.live.directory.id.replace(/[^a-z0-9]/gi, '').slice(-12);
    const time = timeOf(context.clock);
    return resumeAbility(
      services.project,
      { id: agent.id, version: `${version ?? builtOf(settings?.command)}${model}` },
      () =>
        probeResume(agent, {
          ...setting,
          token,
          onResult: (call, attempt) =>
            context.live.ledger.add({
              v: 1,
              id: `probe-sessions-${agentId}-${attempt}`,
              time,
              phase: inputs.phase,
              task: 'resume-probe',
              seat: agentId,
              agent: agentId,
              family: agent.family,
              ...(call.model === undefined ? {} : { model: call.model }),
              usage: call.usage,
              durationMs: call.durationMs,
            }),
        }),
      time,
    );
  });
  if (result.passed) return true;
  const { reason } = result;
  desk.note(`sessions of ${agentId} are not continued: ${reason}`);
  await changeState(desk, `no sessions of ${agentId}`, (reading) => withResumeDeferred(reading, reason));
  return false;
}

/** Programs that tell no version are known by when their files were made; another build has to be probed again. */
function builtOf(command: readonly string[] = []): string {
  const times = command.flatMap((word) => {
    try {
      return [String(Math.round(statSync(word).mtimeMs))];
    } catch {
      return [];
    }
  });
  return times.length === 0 ? 'unknown' : `built ${times.join(' ')}`;
}
