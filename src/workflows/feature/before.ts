import { statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { agentVersion } from '../../agents/registry.ts';
import { thisWorld } from '../../agents/settings.ts';
import { agentOf } from '../../council/call/once.ts';
import { timeOf } from '../../engine/clock.ts';
import { probeResume, resumeAbility } from '../../prompts/resume/probe.ts';
import { askConsent as askProjectConsent } from '../permission.ts';
import { changeState } from './records.ts';
import { withResumeDeferred } from './rules/meta-write.ts';
import type { FeatureRun } from './run.ts';

/** No agent is called before you agreed once. */
export function askConsent({ context, inputs, services }: FeatureRun): Promise<void> {
  const agents = [...new Set([inputs.author, inputs.reviewer])].map((id) => agentOf(services, id));
  const writes = inputs.phase === 'implement' ? ', change files in a separate checkout' : '';
  return askProjectConsent(context, agents, {
    consented: inputs.consented,
    detail: `They are called for ${inputs.phase}${writes} and may cost money.`,
  });
}

/** T-115, T-116: whether an agent's sessions can be continued; probed once per version of it. */
export async function sessionsCanContinue(run: FeatureRun, agentId: string): Promise<boolean> {
  const { context, services, inputs } = run;
  const { directory, ledger } = context.live;
  const agent = agentOf(services, agentId);
  if (!agent.capabilities.resume) return false;
  const result = await run.once(`probe sessions of ${agentId}`, async (signal) => {
    const laneDirectory = path.join(directory.lanes, `probe-sessions-${agentId}`);
    await mkdir(laneDirectory, { recursive: true });
    const settings = inputs.roster.find(({ id }) => id === agentId);
    const version =
      settings === undefined ? undefined : await agentVersion(settings, thisWorld(), laneDirectory, signal);
    const model = settings?.model === undefined ? '' : ` ${settings.model}`;
    const time = timeOf(context.clock);
    const probe = () =>
      probeResume(agent, {
        directory: laneDirectory,
        laneDirectory,
        signal,
        onEvent: () => {},
        token: directory.id.replace(/[^a-z0-9]/gi, '').slice(-12),
        onResult: (call, attempt) =>
          ledger.add({
            v: 1,
            id: `probe-sessions-${agentId}-${attempt}`,
            time,
            phase: inputs.phase,
            task: 'resume-probe',
            seat: agentId,
            agent: agentId,
            family: agent.family,
            model: call.model,
            usage: call.usage,
            durationMs: call.durationMs,
          }),
      });
    const probed = { id: agent.id, version: `${version ?? buildTimes(settings?.command)}${model}` };
    return resumeAbility(services.project, probed, probe, time);
  });
  if (result.passed) return true;
  const { reason } = result;
  run.note(`sessions of ${agentId} are not continued: ${reason}`);
  await changeState(run, `no sessions of ${agentId}`, (reading) => withResumeDeferred(reading, reason));
  return false;
}

/** Identifies a program without a version by the modification times of its files; another build is probed again. */
function buildTimes(command: readonly string[] = []): string {
  const times = command.flatMap((word) => {
    try {
      return [String(Math.round(statSync(word).mtimeMs))];
    } catch {
      return [];
    }
  });
  return times.length === 0 ? 'unknown' : `built ${times.join(' ')}`;
}
