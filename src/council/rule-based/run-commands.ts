import { isRecord, readJson } from '../../base/safe-json.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';

export type RunCommand = { command: string; purpose: string };

const scriptPurposes: readonly [script: string, purpose: string][] = [
  ['test', 'run all tests'],
  ['check', 'run all checks'],
  ['lint', 'check the style'],
  ['types', 'check the types'],
  ['typecheck', 'check the types'],
  ['build', 'build'],
];

/** The commands of the repository that verify a change: package scripts, make targets, or the language's usual one. */
export function commandsOf(index: RepositoryIndex): RunCommand[] {
  const manifest = index.byPath.get('package.json');
  const reading = manifest === undefined ? undefined : readJson(manifest.file.text);
  const scripts = reading?.ok && isRecord(reading.value) ? reading.value.scripts : undefined;
  const found: RunCommand[] = isRecord(scripts)
    ? scriptPurposes
        .filter(([script]) => typeof scripts[script] === 'string')
        .map(([script, purpose]) => ({
          command: script === 'test' ? 'npm test' : `npm run ${script}`,
          purpose,
        }))
    : [];
  const makefile = index.byPath.get('Makefile')?.file.text ?? '';
  if (/^test\s*:/m.test(makefile)) found.push({ command: 'make test', purpose: 'run all tests' });
  if (found.length > 0) return found.slice(0, 4);
  if (index.byPath.has('go.mod')) return [{ command: 'go test ./...', purpose: 'run all tests' }];
  if (index.byPath.has('Cargo.toml')) return [{ command: 'cargo test', purpose: 'run all tests' }];
  if (index.byPath.has('pyproject.toml') || index.byPath.has('setup.py')) {
    return [{ command: 'pytest', purpose: 'run all tests' }];
  }
  return [];
}
