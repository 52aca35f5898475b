import { isRecord, readJson } from '../../../base/safe-json.ts';

export type TestCommand = { argv: string[]; framework: string };

/** P-155: how this repository runs its tests; `read` gives the text of a file at its top, or nothing. */
export function detectTestCommand(read: (name: string) => string | undefined): TestCommand | undefined {
  const manifest = readJson(read('package.json') ?? '');
  const scripts = manifest.ok && isRecord(manifest.value) ? manifest.value['scripts'] : undefined;
  if (isRecord(scripts)) {
    const script = ['test', 'test:unit'].find(
      (name) => typeof scripts[name] === 'string' && !/no test specified/.test(scripts[name]),
    );
    if (script === 'test') return { argv: ['npm', 'test', '--silent'], framework: 'npm' };
    if (script !== undefined) return { argv: ['npm', 'run', '--silent', script], framework: 'npm' };
  }
  const known: readonly [file: string, argv: string[], framework: string][] = [
    ['pyproject.toml', ['python', '-m', 'pytest', '-q'], 'pytest'],
    ['Cargo.toml', ['cargo', 'test', '--quiet'], 'cargo'],
    ['go.mod', ['go', 'test', './...'], 'go'],
  ];
  const found = known.find(([file]) => read(file) !== undefined);
  return found === undefined ? undefined : { argv: found[1], framework: found[2] };
}
