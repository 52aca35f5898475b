import path from 'node:path';
import { writeJsonAtomic } from '../../base/files/atomic.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { type ProbeMemory, type ProbeResult, rememberedProbe } from './probe.ts';

/** What probing showed about the agents of this machine, by agent and version. */
export const probeMemoryFile = path.join('.charrette', 'resume-probes.json');

/** Whether an agent's sessions can be continued: from memory, or by probing once for its version. */
export async function resumeAbility(
  root: string,
  agent: { id: string; version: string },
  probe: () => Promise<ProbeResult>,
  time: string,
): Promise<ProbeResult> {
  const memory = await readProbeMemory(root);
  const known = rememberedProbe(memory, agent.id, agent.version);
  if (known !== undefined) return known;
  const result = await probe();
  if (!result.passed && result.passing === true) return result;
  const entry = { version: agent.version, result, time };
  await writeJsonAtomic(path.join(root, probeMemoryFile), { v: 1, agents: { ...memory, [agent.id]: entry } });
  return result;
}

/** A file that cannot be read means that nothing is known; probing again is harmless. */
export async function readProbeMemory(root: string): Promise<ProbeMemory> {
  const text = await readTextFile(path.join(root, probeMemoryFile), 1024 * 1024).catch(() => undefined);
  const reading = text === undefined ? undefined : readJson(text);
  if (reading?.ok !== true || !isRecord(reading.value) || !isRecord(reading.value['agents'])) return {};
  const entries = Object.entries(reading.value['agents']).flatMap(([agent, entry]) => {
    const result = isRecord(entry) ? resultOf(entry['result']) : undefined;
    if (!isRecord(entry) || result === undefined || typeof entry['version'] !== 'string') return [];
    return [[agent, { version: entry['version'], result, time: String(entry['time'] ?? '') }] as const];
  });
  return Object.fromEntries(entries);
}

function resultOf(value: unknown): ProbeResult | undefined {
  if (!isRecord(value)) return undefined;
  if (value['passed'] === true) return { passed: true };
  return value['passed'] === false
    ? { passed: false, reason: String(value['reason'] ?? 'unknown') }
    : undefined;
}
