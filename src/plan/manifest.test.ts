import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { manifestFiles, parseManifest, poisonManifest, readManifest, writeManifest } from './manifest.ts';
import { appendIssue, insertIssue } from './plan-text.ts';

let root: string;
let design: string;
let implement: string;
const now = new Date('2026-05-09T10:11:12.345Z');
const write = () => writeManifest({ designDirectory: design, implementDirectory: implement, now });
const manifestPath = () => path.join(implement, 'design-export', 'manifest.env');
const error = async () => {
  const reading = await readManifest(implement);
  return reading.ok ? 'ok' : reading.error;
};

beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'charrette-manifest-'));
  design = path.join(root, 'design');
  implement = path.join(root, 'implement');
  await mkdir(design);
  await mkdir(implement);
  for (const { source } of manifestFiles) await writeFile(path.join(design, source), `${source}\n`);
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('L-456 L-790 L-793 L-806 L-972 the manifest has its keys in order and is read back', async () => {
  expect(await write()).toMatchObject({ ok: true });
  const folder = path.join(implement, 'design-export');
  expect(await readFile(manifestPath(), 'utf8')).toBe(
    [
      'MANIFEST_VERSION=1',
      `PLAN_FILE=${folder}/plan.txt`,
      `PLAN_REVIEW_TALLY_FILE=${folder}/voting-tally.md`,
      `CONTESTED_CRITERIA_FILE=${folder}/contested-decisions.md`,
      `OOS_FILE=${folder}/oos.md`,
      `REJECTED_FINDINGS_FILE=${folder}/rejected-findings.md`,
      `ACCEPTED_PLAN_FINDINGS_FILE=${folder}/accepted-plan-findings.md`,
      `ARCHITECTURE_DIAGRAM_FILE=${folder}/architecture-diagram.md`,
      'TIMESTAMP=2026-05-09T10:11:12Z',
      'SESSION_ID=implement',
      '',
    ].join('\n'),
  );
  expect(await readManifest(implement)).toMatchObject({ ok: true, sessionId: 'implement' });
  expect((await readdir(implement)).filter((name) => name.includes('stage'))).toEqual([]);
});

test('L-796 the session id comes from the environment, then the file, without control characters', async () => {
  await writeFile(path.join(implement, 'session-id'), 'from\u0007file\n');
  await write();
  expect(await readManifest(implement)).toMatchObject({ sessionId: 'fromfile' });
  await writeManifest({ designDirectory: design, implementDirectory: implement, sessionId: 'given', now });
  expect(await readManifest(implement)).toMatchObject({ sessionId: 'given' });
  const blank = await writeManifest({
    designDirectory: design,
    implementDirectory: implement,
    sessionId: '\t\n',
    now,
  });
  expect(blank).toMatchObject({ ok: false, exit: 1 });
});

test('L-792 the diagram is optional and a stale one does not stay behind', async () => {
  await write();
  await rm(path.join(design, 'architecture-diagram.md'));
  await write();
  expect(await readFile(manifestPath(), 'utf8')).not.toContain('ARCHITECTURE');
  expect(await readdir(path.join(implement, 'design-export'))).not.toContain('architecture-diagram.md');
});

test.each(manifestFiles.filter(({ required }) => required).map(({ source }) => source))(
  'L-792 L-795 F-26 without %s nothing is exported and the bundle before stays whole',
  async (source) => {
    await write();
    await writeFile(path.join(design, 'plan.txt'), 'second version\n');
    await rm(path.join(design, source));
    expect(await write()).toMatchObject({ ok: false, exit: 1, message: `${source} is missing` });
    expect(await error()).toBe('ok');
    expect(await readFile(path.join(implement, 'design-export', 'plan.txt'), 'utf8')).toBe('plan.txt\n');
  },
);

test.each(['plan.txt', 'voting-tally.md'])('L-792 %s must not be empty', async (source) => {
  await writeFile(path.join(design, source), '');
  expect(await write()).toMatchObject({ ok: false, message: `${source} is empty` });
});

test('L-794 F-26 links and directories are not exported', async () => {
  await writeFile(path.join(root, 'secret'), 'x');
  await rm(path.join(design, 'oos.md'));
  await symlink(path.join(root, 'secret'), path.join(design, 'oos.md'));
  expect(await write()).toMatchObject({ ok: false, message: 'oos.md is a symbolic link' });
  await rm(path.join(design, 'oos.md'));
  await mkdir(path.join(design, 'oos.md'));
  expect(await write()).toMatchObject({ ok: false, message: 'oos.md is not a regular file' });
});

test('L-790 L-791 directories must exist and be given; relative ones become absolute', async () => {
  expect(await writeManifest({ designDirectory: '', implementDirectory: implement, now })).toMatchObject({
    exit: 2,
  });
  expect(
    await writeManifest({ designDirectory: design, implementDirectory: `${root}/no`, now }),
  ).toMatchObject({ exit: 1 });
  const relative = path.relative(process.cwd(), design);
  await writeManifest({
    designDirectory: relative,
    implementDirectory: path.relative(process.cwd(), implement),
    now,
  });
  expect(await readFile(manifestPath(), 'utf8')).toContain(`PLAN_FILE=${implement}/`);
});

test('L-804 nothing is given of a manifest whose files are not all there', async () => {
  await write();
  await rm(path.join(implement, 'design-export', 'oos.md'));
  expect(await readManifest(implement)).toEqual({ ok: false, error: 'path-not-regular' });
});

const change = async (edit: (text: string) => string) => {
  await write();
  await writeFile(manifestPath(), edit(await readFile(manifestPath(), 'utf8')));
  return error();
};

test.each<[string, (text: string) => string]>([
  ['manifest-not-found', () => ''],
  ['malformed-line', (text) => `${text}\n`],
  ['malformed-line', (text) => `${text}just words\n`],
  ['invalid-key', (text) => `${text}lower=1\n`],
  ['invalid-key', (text) => `$(touch x)=1\n${text}`],
  ['control-char', (text) => text.replace('SESSION_ID=', 'SESSION_ID=a\tb')],
  ['control-char', (text) => text.replace('\n', '\r\n')],
  ['duplicate-key:PLAN_FILE', (text) => `${text}PLAN_FILE=/etc/passwd\n`],
  ['unsupported-version', (text) => text.replace('VERSION=1', 'VERSION=2')],
  ['missing-plan-file', (text) => text.replace(/PLAN_FILE=.*\n/, '')],
  ['missing-plan-review-tally-file', (text) => text.replace(/PLAN_REVIEW.*\n/, '')],
  ['missing-contested-criteria-file', (text) => text.replace(/CONTESTED.*\n/, '')],
  ['missing-oos-file', (text) => text.replace(/OOS_FILE.*\n/, '')],
  ['missing-rejected-findings-file', (text) => text.replace(/REJECTED.*\n/, '')],
  ['missing-accepted-plan-findings-file', (text) => text.replace(/ACCEPTED.*\n/, '')],
  ['missing-timestamp', (text) => text.replace(/TIMESTAMP.*\n/, '')],
  ['missing-session-id', (text) => text.replace(/SESSION_ID=.*/, 'SESSION_ID=')],
  ['path-not-absolute', (text) => text.replace(/PLAN_FILE=.*/, 'PLAN_FILE=plan.txt')],
  [
    'path-escaped-export-dir',
    (text) =>
      text.replace(/PLAN_FILE=(.*)design-export\/plan/, 'PLAN_FILE=$1design-export/../../design/plan'),
  ],
  ['path-not-regular', (text) => text.replace(/PLAN_FILE=.*/, 'PLAN_FILE=/')],
  ['ok', (text) => `${text}FUTURE_KEY=a=b; rm -rf /\n`],
])('L-801 L-802 L-803 %s', async (expected, edit) => {
  expect(await change(edit)).toBe(expected);
});

test('L-802 a linked or emptied copy is refused', async () => {
  await write();
  const plan = path.join(implement, 'design-export', 'plan.txt');
  await writeFile(plan, '');
  expect(await error()).toBe('required-empty');
  await rm(plan);
  await symlink('/etc/hostname', plan);
  expect(await error()).toBe('symlink-rejected');
});

test('L-800 a directory in the manifest’s place is not found, not a crash', async () => {
  await mkdir(manifestPath(), { recursive: true });
  expect(await error()).toBe('manifest-not-found');
});

test('F-33 a value keeps its further equal signs', () => {
  const parsed = parseManifest('SESSION_ID=a=b=c\n');
  expect('value' in parsed && parsed.value.get('SESSION_ID')).toBe('a=b=c');
});

test('panel/C-17 an old manifest is put aside at the start', async () => {
  await write();
  expect(await poisonManifest(implement)).toBe(true);
  expect(await error()).toBe('manifest-not-found');
  expect(await poisonManifest(implement)).toBe(false);
});

test('L-765 an issue goes under its category, before the next one', () => {
  const once = insertIssue('', 'Warnings', 'first');
  expect(once).toBe('### Warnings\n\n- first\n');
  const two = insertIssue(once, 'CI Issues', '- broken\nbuild');
  const three = insertIssue(two, 'Warnings', 'second');
  expect(insertIssue(three, 'Warnings', 'first')).toBe(three);
  expect(three).toBe('### Warnings\n\n- first\n- second\n\n### CI Issues\n\n- broken build\n');
});

test('L-765 parallel writers lose nothing', async () => {
  const log = path.join(root, 'deep', 'execution-issues.md');
  await Promise.all(Array.from({ length: 12 }, (_, index) => appendIssue(log, 'Warnings', `entry ${index}`)));
  expect((await readFile(log, 'utf8')).match(/^- entry \d+$/gm)).toHaveLength(12);
  expect(await readdir(path.dirname(log))).toEqual(['execution-issues.md']);
});
