import { type Engine, type EngineOptions, openEngine } from '../../src/engine/engine.ts';
import {
  createRunDirectory,
  type Home,
  type RunDirectory,
  runDirectoryOf,
} from '../../src/engine/run-directory.ts';
import { writeRunRecord } from '../../src/engine/run-record.ts';

/** An engine on the embedded store, for tests and measurements. */
export async function embeddedEngine(
  options: Omit<EngineOptions, 'store' | 'codeVersion'> & { codeVersion?: string },
): Promise<Engine> {
  const opening = await openEngine({ store: 'embedded', codeVersion: '1', ...options });
  if (!opening.opened) throw new Error('the store is held by another process');
  return opening.engine;
}

/** A run that was never started. */
export async function madeRun(
  home: Home,
  id: string,
  workflow: string,
  inputs: unknown = null,
  more: object = {},
): Promise<RunDirectory> {
  const directory = runDirectoryOf(home, id);
  await createRunDirectory(directory);
  await writeRunRecord(directory, {
    schemaVersion: 1,
    run: id,
    workflow,
    codeVersion: '1',
    title: id,
    inputs,
    status: 'running',
    created: new Date(0).toISOString(),
    ...more,
  });
  return directory;
}
