import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommandLine, runOnTerminal } from '../../../test/support/run-command-line.ts';
import { parseJson } from '../../base/safe-json.ts';
import { manifestFiles, writeManifest } from '../../plan/manifest.ts';

test('L-800 L-804 L-805 a manifest is printed when all of it is right, else only what is wrong; the exit of the lines is 0', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'charrette-caller-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const design = path.join(root, 'design');
  mkdirSync(design);
  for (const { source } of manifestFiles) writeFileSync(path.join(design, source), `${source}\n`);
  const now = new Date('2026-05-09T10:11:12Z');
  await writeManifest({ designDirectory: design, implementDirectory: root, sessionId: 'caller', now });
  const whole = await runCommandLine('plan', 'manifest', root);
  expect(whole).toMatchObject({ exit: 0, err: '' });
  const lines = whole.out.split('\n');
  expect(lines.slice(0, 2)).toEqual(['MANIFEST_OK=true', expect.stringMatching(/^PLAN_FILE=\/.*plan\.txt$/)]);
  expect(lines.slice(-4)).toEqual([
    'TIMESTAMP=2026-05-09T10:11:12Z',
    'SESSION_ID=caller',
    '📥 1: design plan — manifest loaded (plan=plan.txt)',
    '',
  ]);
  rmSync(path.join(root, 'design-export', 'oos.md'));
  expect(await runCommandLine('plan', 'manifest', '.', '--cwd', root)).toEqual({
    exit: 0,
    out: 'MANIFEST_FAILED=true\nERROR=path-not-regular\n',
    err: '',
  });
  const asJson = await runCommandLine('plan', 'manifest', root, '--json');
  expect(asJson.exit).toBe(1);
  expect(parseJson(asJson.out, 'stdout')).toMatchObject({
    error: { code: 'manifest-invalid', message: expect.stringContaining('path-not-regular') },
  });
  const shown = await runOnTerminal('plan', 'manifest', root);
  expect(shown).toMatchObject({ exit: 1, out: '', err: expect.stringContaining('path-not-regular') });
  expect(await runOnTerminal('plan', 'manifest', design)).toMatchObject({
    exit: 4,
    err: expect.stringContaining('manifest-not-found'),
  });
});
