import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { RunDirectory } from '../engine/run-directory.ts';
import { writeJsonAtomicSync } from '../files/atomic.ts';
import { isRecord, readJson } from '../safe-json.ts';

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

export function isConsented(directory: RunDirectory, agents: readonly string[]): boolean {
  const known = consented(directory);
  return agents.every((agent) => known.includes(agent));
}

export function grantConsent(directory: RunDirectory, agents: readonly string[]): void {
  const all = [...new Set([...consented(directory), ...agents])].sort();
  writeJsonAtomicSync(consentFile(directory), { schemaVersion: 1, agents: all });
}
