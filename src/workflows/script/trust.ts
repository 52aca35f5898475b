import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { World } from '../../agents/settings.ts';
import { userFolder } from '../../base/config/config.ts';
import { writeJsonAtomicSync } from '../../base/files/atomic.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';

/** W-141: in the user's own folder, never in the project: a clone could bring its own permission along. */
function trustFile({ environment, home }: Pick<World, 'environment' | 'home'>): string {
  return path.join(userFolder(environment, home), 'allowed-workflows.json');
}

function readAllowed(world: World): Record<string, string[]> {
  const file = trustFile(world);
  if (!existsSync(file)) return {};
  const reading = readJson(readFileSync(file, 'utf8'));
  const projects = reading.ok && isRecord(reading.value) ? reading.value['projects'] : undefined;
  if (!isRecord(projects)) return {};
  return Object.fromEntries(
    Object.entries(projects).map(([project, digests]) => [
      project,
      Array.isArray(digests) ? digests.filter((digest) => typeof digest === 'string') : [],
    ]),
  );
}

export function isAllowed(world: World, project: string, digest: string): boolean {
  return readAllowed(world)[realpathSync(project)]?.includes(digest) ?? false;
}

export async function allowDigest(world: World, project: string, digest: string): Promise<void> {
  const allowed = readAllowed(world);
  const name = realpathSync(project);
  const digests = [...new Set([...(allowed[name] ?? []), digest])];
  mkdirSync(path.dirname(trustFile(world)), { recursive: true });
  writeJsonAtomicSync(trustFile(world), { schemaVersion: 1, projects: { ...allowed, [name]: digests } });
}
