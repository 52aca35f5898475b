import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

type Locked = {
  version?: string;
  integrity?: string;
  resolved?: string;
  dev?: boolean;
  devOptional?: boolean;
  link?: boolean;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
};
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const manifest = read('package.json');
const lock = read('package-lock.json') as { lockfileVersion: number; packages: Record<string, Locked> };
const packages = Object.entries(lock.packages).filter(([name]) => name !== '');

test('every dependency is one exact version, and the lock file names the same', () => {
  const named: [string, string][] = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(named.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
  expect(
    named.filter(([name, version]) => lock.packages[`node_modules/${name}`]?.version !== version),
  ).toEqual([]);
  const own = lock.packages[''];
  expect([own?.dependencies, own?.devDependencies]).toEqual([
    manifest.dependencies,
    manifest.devDependencies,
  ]);
});

test('everything in the lock file has a version and a strong checksum, and comes from a registry', () => {
  expect(lock.lockfileVersion).toBe(3);
  expect(packages.length).toBeGreaterThan(100);
  const loose = packages.filter(
    ([, { version, integrity, link, resolved }]) =>
      version === undefined ||
      link === true ||
      !/^sha512-/.test(integrity ?? '') ||
      (resolved !== undefined && !/^https:\/\//.test(resolved)),
  );
  expect(loose.map(([name]) => name)).toEqual([]);
});

test('installing Charrette runs no script, neither ours nor one of what it needs; those of the tools are known', () => {
  const own = Object.keys(manifest.scripts).filter((name) => /^(?:pre|post)?(?:install|prepare)$/.test(name));
  expect(own).toEqual([]);
  const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  expect(scripted.filter(([, { dev }]) => dev !== true).map(([name]) => name)).toEqual([]);
  const names = scripted.map(([name]) => name.split('node_modules/').at(-1));
  expect(names.toSorted()).toEqual(['esbuild', 'node']);
  expect(Object.keys(manifest.allowScripts).toSorted()).toEqual(['esbuild', 'node']);
});

test('a bill of materials can be made, with every package that is needed to run', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-sbom-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'sbom.json');
  const made = spawnSync(process.execPath, ['scripts/sbom.mjs', file], { encoding: 'utf8' });
  expect(made.stdout, made.stderr).toMatch(/vulnerabilities: (?:0|unknown)/);
  const bill = read(file) as { components: { name: string; version: string }[] };
  const listed = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
  for (const [name, version] of Object.entries(manifest.dependencies))
    expect(listed).toContain(`${name}@${version}`);
});
