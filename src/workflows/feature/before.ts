import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { resumeAbility } from '../../prompts/resume/probe-memory.ts';
import { probeResume } from '../../prompts/resume/run-probe.ts';
import { askConsent as askProjectConsent } from '../consent.ts';
import { agentOf } from '../services.ts';
import type { PhaseDesk } from './desk.ts';

/** Nobody's agent is called before somebody agreed to it once. */
export function askConsent({ context, inputs, services }: PhaseDesk): Promise<void> {
  const agents = [...new Set([inputs.author, inputs.reviewer])].map((id) => agentOf(services, id));
  return askProjectConsent(context, agents, {
    consented: inputs.consented,
    detail: `They are called for ${inputs.phase} and may cost money.`,
  });
}

/** T-115, T-116: whether the reviewer's sessions are continued; found out once for each version of an agent. */
export async function sessionsCanContinue(desk: PhaseDesk): Promise<boolean> {
  const { context, inputs, services } = desk;
  const agent = agentOf(services, inputs.reviewer);
  if (!agent.capabilities.resume) return false;
  const result = await context.step('probe sessions', async (signal) => {
    const laneDirectory = path.join(context.live.directory.lanes, 'probe-sessions');
    await mkdir(laneDirectory, { recursive: true });
    const setting = { directory: laneDirectory, laneDirectory, signal, onEvent: () => {} };
    const { version = 'unknown' } = await agent.probe(setting);
    const token = context.live.directory.id.replace(/[^a-z0-9]/gi, '').slice(-12);
    const time = new Date(context.clock.now()).toISOString();
    return resumeAbility(
      services.project,
      { id: agent.id, version },
      () => probeResume(agent, { ...setting, token }),
      time,
    );
  });
  if (!result.passed) desk.note(`sessions of ${agent.id} are not continued: ${result.reason}`);
  return result.passed;
}
