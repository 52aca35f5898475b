import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseTar } from 'nanotar';
import { expect, test } from 'vitest';
import { cleanTexts } from '../../../test/support/skill-packages.ts';
import { installSkill, overlayFor, uninstallSkill } from './install.ts';
import { packFiles, readTree } from './package-tree.ts';

const plain = { force: false, dryRun: false };

function setUp(): { source: string; root: string } {
  const home = mkdtempSync(path.join(os.tmpdir(), 'charrette-install-'));
  const source = path.join(home, 'src', 'demo-flow');
  for (const [file, text] of Object.entries(cleanTexts())) {
    mkdirSync(path.dirname(path.join(source, file)), { recursive: true });
    writeFileSync(path.join(source, file), text);
  }
  return { source, root: path.join(home, 'project', '.claude', 'skills') };
}

test('install copies, a second install changes nothing, uninstall leaves no trace', async () => {
  const { source, root } = setUp();
  mkdirSync(path.dirname(path.dirname(root)), { recursive: true });
  expect((await installSkill(source, 'demo-flow', root, 'claude', plain)).written).toHaveLength(5);
  expect((await installSkill(source, 'demo-flow', root, 'claude', plain)).written).toEqual([]);
  await uninstallSkill('demo-flow', root, plain);
  expect(readdirSync(path.dirname(path.dirname(root)))).toEqual([]);
});

test('uninstall never touches text of the user', async () => {
  const { source, root } = setUp();
  await installSkill(source, 'demo-flow', root, 'claude', plain);
  writeFileSync(path.join(root, 'demo-flow/SKILL.md'), 'mine now');
  writeFileSync(path.join(root, 'demo-flow/notes.md'), 'my notes');
  const outcome = await uninstallSkill('demo-flow', root, plain);
  expect(outcome.kept).toEqual(['SKILL.md']);
  expect(readFileSync(path.join(root, 'demo-flow/SKILL.md'), 'utf8')).toBe('mine now');
  expect(existsSync(path.join(root, 'demo-flow/notes.md'))).toBe(true);
});

test('uninstall removes nothing after an install onto the source itself or onto identical files of the user', async () => {
  const { source, root } = setUp();
  const own = path.join(root, 'demo-flow');
  cpSync(source, own, { recursive: true });
  for (const from of [own, path.join(root, '../skills/demo-flow/'), source]) {
    expect((await installSkill(from, 'demo-flow', root, 'claude', plain)).written).toEqual([]);
    await expect(uninstallSkill('demo-flow', root, plain)).rejects.toMatchObject({ code: 'not-found' });
    expect(await readTree(own)).toEqual(await readTree(source));
  }
  await installSkill(source, 'demo-flow', root, 'claude', { force: true, dryRun: false });
  expect((await uninstallSkill('demo-flow', root, plain)).removed).toHaveLength(5);
});

test('an update replaces unchanged files and refuses changed ones', async () => {
  const { source, root } = setUp();
  await installSkill(source, 'demo-flow', root, 'claude', plain);
  writeFileSync(
    path.join(source, 'SKILL.md'),
    `${readFileSync(path.join(source, 'SKILL.md'), 'utf8')}\nNew line.\n`,
  );
  expect((await installSkill(source, 'demo-flow', root, 'claude', plain)).written).toEqual(['SKILL.md']);
  writeFileSync(path.join(root, 'demo-flow/SKILL.md'), 'mine now');
  await expect(installSkill(source, 'demo-flow', root, 'claude', plain)).rejects.toMatchObject({
    code: 'would-overwrite',
  });
  expect(readFileSync(path.join(root, 'demo-flow/SKILL.md'), 'utf8')).toBe('mine now');
});

test('a dry run writes nothing, and a linked package folder cannot lead the files elsewhere', async () => {
  const { source, root } = setUp();
  expect(
    (await installSkill(source, 'demo-flow', root, 'claude', { force: false, dryRun: true })).written,
  ).toHaveLength(5);
  expect(existsSync(root)).toBe(false);
  const elsewhere = mkdtempSync(path.join(os.tmpdir(), 'charrette-else-'));
  mkdirSync(path.join(root, 'demo-flow'), { recursive: true });
  symlinkSync(elsewhere, path.join(root, 'demo-flow/phases'));
  await expect(installSkill(source, 'demo-flow', root, 'claude', plain)).rejects.toMatchObject({
    code: 'path-unsafe',
  });
  expect(readdirSync(elsewhere)).toEqual([]);
});

test('fields of one host move under metadata for the others', () => {
  const text = '---\nname: x\ndescription: d\nargument-hint: "[task]"\n---\n\n# X\n';
  expect(overlayFor('claude', text)).toBe(text);
  expect(overlayFor('codex', text)).toBe(
    '---\nname: x\ndescription: d\nmetadata:\n  argument-hint: "[task]"\n---\n\n# X\n',
  );
});

test('pack is a tar of the package, the same bytes every time', async () => {
  const { source } = setUp();
  const { files } = await readTree(source);
  const [one, two] = [packFiles('demo-flow', files), packFiles('demo-flow', files)];
  expect(createHash('sha256').update(one).digest('hex')).toBe(createHash('sha256').update(two).digest('hex'));
  expect(parseTar(new Uint8Array(gunzipSync(one))).map(({ name }) => name)).toContain(
    'demo-flow/phases/01-session-init.md',
  );
});

/** Installs in a separate process that is killed at one of its writes; 0: at none. Returns the number of writes. */
function installKilled(source: string, root: string, at: number): number {
  const call = `await (await import(${JSON.stringify(path.join(import.meta.dirname, 'install.ts'))})).installSkill(
    ${JSON.stringify(source)}, 'demo-flow', ${JSON.stringify(root)}, 'claude', ${JSON.stringify(plain)});`;
  const preload = path.resolve(import.meta.dirname, '../../../test/crash/preload.mjs');
  const counts = path.join(path.dirname(source), 'counts');
  spawnSync(process.execPath, ['--import', preload, '--input-type=module', '-e', call], {
    env: { ...process.env, CRASH_AT: String(at), CRASH_COUNT_FILE: counts },
  });
  return at === 0 ? Number(readFileSync(counts, 'utf8')) : at;
}

test('an install that was killed at a write knows its own files: the next one completes it, uninstall leaves no trace', async () => {
  const writes = installKilled(...(Object.values(setUp()) as [string, string]), 0);
  expect(writes).toBeGreaterThan(10);
  for (const at of [0.3, 0.6, 0.9].map((share) => Math.ceil(writes * share))) {
    const { source, root } = setUp();
    mkdirSync(root, { recursive: true });
    installKilled(source, root, at);
    // Killed a second time, when the package is another one.
    writeFileSync(
      path.join(source, 'SKILL.md'),
      `${readFileSync(path.join(source, 'SKILL.md'), 'utf8')}\nMore.\n`,
    );
    installKilled(source, root, at);
    await installSkill(source, 'demo-flow', root, 'claude', plain);
    expect((await readTree(path.join(root, 'demo-flow'))).files.size, `write ${at}`).toBe(5);
    await uninstallSkill('demo-flow', root, plain);
    expect(readdirSync(root), `write ${at}`).toEqual([]);
  }
});

test('what a killed install had not written yet stays a user’s own', async () => {
  const { source, root } = setUp();
  mkdirSync(root, { recursive: true });
  installKilled(source, root, 8);
  writeFileSync(path.join(root, 'demo-flow/SKILL.md'), 'mine');
  await expect(installSkill(source, 'demo-flow', root, 'claude', plain)).rejects.toMatchObject({
    code: 'would-overwrite',
    message: expect.stringMatching(/: SKILL\.md\.$/),
  });
  expect((await uninstallSkill('demo-flow', root, plain)).kept).toEqual(['SKILL.md']);
});
