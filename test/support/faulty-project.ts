import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isRecord, readJson } from '../../src/base/safe-json.ts';
import { makeProject } from './program.ts';

const faultyAgent = path.resolve(import.meta.dirname, '..', 'agents', 'faulty-agent.mjs');

export type FaultyProject = { project: string; calls: string };

/** The small repository, with other limits, or with one call of its agents caught in the middle: of the task, or the first sketch. */
export async function makeFaultyProject(options: {
  delayMs?: number;
  limits?: Record<string, number>;
  mode?: 'halts' | 'waits' | 'busy';
  task?: string;
}): Promise<FaultyProject> {
  const made = await makeProject({ delayMs: options.delayMs ?? 0 });
  const file = path.join(made.project, '.charrette', 'config.json');
  const config = JSON.parse(readFileSync(file, 'utf8'));
  if (options.limits !== undefined) config.limits = options.limits;
  const { mode, task = 'sketch' } = options;
  if (mode !== undefined)
    for (const agent of ['one', 'two'])
      config.agents[agent].command = ['node', faultyAgent, made.calls, mode, task];
  writeFileSync(file, JSON.stringify(config));
  return made;
}

/** Numbers of all processes whose command line has the text. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandLine(pid).includes(text))
    .map(Number);
}

/** The agents themselves, without the jails around them and without their children. */
export function agentsOf({ calls }: { calls: string }): number[] {
  return processesWith(calls).filter((pid) => {
    const [program = '', script = ''] = commandLine(String(pid)).split('\0');
    return path.basename(program) === 'node' && path.dirname(script) === path.dirname(faultyAgent);
  });
}

/** The processes that the lanes of a run started: the jails where there are jails. */
export function lanesOf(project: string, run: string): { lane: string; pid: number }[] {
  const lanes = path.join(project, '.charrette', 'runs', run, 'lanes');
  const names = existsSync(lanes) ? readdirSync(lanes) : [];
  return names.flatMap((lane) => {
    const file = path.join(lanes, lane, 'process.json');
    const reading = existsSync(file) ? readJson(readFileSync(file, 'utf8')) : undefined;
    return reading?.ok && isRecord(reading.value) && reading.value['ended'] === false
      ? [{ lane, pid: Number(reading.value['pid']) }]
      : [];
  });
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
