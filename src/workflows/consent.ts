import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Agent } from '../agents/port.ts';
import { CharretteError } from '../base/errors.ts';
import { writeJsonAtomicSync } from '../base/files/atomic.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
import type { RunDirectory } from '../engine/run-directory.ts';
import type { WorkflowContext } from '../engine/workflow.ts';

/** Which agents a person allowed in this project. */
function consentFile(directory: RunDirectory): string {
  return path.join(path.dirname(path.dirname(directory.root)), 'consent.json');
}

function consented(directory: RunDirectory): string[] {
  const file = consentFile(directory);
  if (!existsSync(file)) return [];
  const reading = readJson(readFileSync(file, 'utf8'));
  const agents = reading.ok && isRecord(reading.value) ? reading.value['agents'] : undefined;
  return Array.isArray(agents) ? agents.filter((agent) => typeof agent === 'string') : [];
}

function isConsented(directory: RunDirectory, agents: readonly string[]): boolean {
  const known = consented(directory);
  return agents.every((agent) => known.includes(agent));
}

function grantConsent(directory: RunDirectory, agents: readonly string[]): void {
  const all = [...new Set([...consented(directory), ...agents])].sort();
  writeJsonAtomicSync(consentFile(directory), { schemaVersion: 1, agents: all });
}

/** The first run in a project says whom it will call and asks; runs after it do not. */
export async function askConsent(
  context: WorkflowContext,
  agents: Iterable<Pick<Agent, 'id' | 'title' | 'family'>>,
  { consented, detail }: { consented: boolean; detail: string },
): Promise<void> {
  const callers = [...agents].filter(({ family }) => family !== 'static');
  if (consented || callers.length === 0) return;
  const ids = callers.map(({ id }) => id);
  const { directory } = context.live;
  if (await context.step('consent on record', async () => isConsented(directory, ids))) return;
  const answers = await context.ask([
    {
      id: 'consent',
      text: `Let ${callers.map(({ title, id, family }) => `${title} (${id === family ? id : `${id}, ${family}`})`).join(', ')} read this repository?`,
      detail,
      options: [
        { value: 'yes', label: 'Yes, in this project from now on' },
        { value: 'no', label: 'No' },
      ],
      recommended: 'yes',
    },
  ]);
  if (answers.get('consent')?.value !== 'yes') {
    throw new CharretteError({
      code: 'consent-refused',
      message: 'Nobody may be called: consent was refused.',
      fix: 'Use `--agents static` to work without any agent, or choose agents with `--agents`.',
    });
  }
  await context.step('remember consent', async () => grantConsent(directory, ids));
}
