import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { JsonSchema } from '../../agents/port.ts';
import { thisWorld } from '../../agents/settings.ts';
import { loadConfig } from '../../base/config/config.ts';
import { CharretteError } from '../../base/errors.ts';
import type { Invocation } from '../../service/command.ts';
import { findProject } from '../../service/project.ts';
import type { DraftAgent } from '../../skills/convert/from-text.ts';
import { agentNames, rosterOf, seatAgents } from '../../workflows/roster.ts';

/** The first of the named agents drafts a configuration; it may read the project, not write to it. */
export async function draftAgent(
  list: string,
  { global, terminal, signal }: Invocation,
): Promise<DraftAgent> {
  const project = findProject(global.cwd);
  const { config } = await loadConfig({ project, env: terminal.env, file: global.config });
  const agents = await seatAgents(rosterOf(config, thisWorld(), agentNames(list)), thisWorld());
  const [agent] = agents.values();
  if (agent === undefined) throw new CharretteError({ code: 'agent-not-found', message: 'No agent found.' });
  return async ({ prompt, schema }) => {
    const laneDirectory = await mkdtemp(path.join(os.tmpdir(), 'charrette-draft-'));
    try {
      const result = await agent.call(
        {
          task: 'skill-draft',
          run: 'skill-convert',
          seat: 'draft',
          attempt: 1,
          prompt,
          directory: project,
          access: 'read',
          limits: { wallMs: 10 * 60_000, idleMs: 10 * 60_000 },
          schema: schema as JsonSchema,
          laneDirectory,
        },
        { signal, onEvent: () => {} },
      );
      if (result.value !== undefined && (result.kind === 'ok' || result.kind === 'bad_output'))
        return result.value;
      throw new CharretteError({
        code: 'json-invalid',
        message: `The agent ${agent.id} gave no draft (${result.kind}): ${result.message ?? 'no JSON in its answer'}.`,
        fix: 'Try again, choose another agent, or omit --agents.',
        retryable: true,
      });
    } finally {
      await rm(laneDirectory, { recursive: true, force: true });
    }
  };
}
