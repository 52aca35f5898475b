import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  exportFailureWarning,
  healthFile,
  knownUnhealthy,
  parseKeyValues,
  parseSessionEnvironment,
  readSessionEnvironment,
  renderHealth,
  renderKeyValues,
} from './caller.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'charrette-panel-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

test('L-842 the warning of a failed export', () => {
  expect(exportFailureWarning('D', { number: '1.', path: 'design plan' })).toMatch(
    /^\*\*⚠ 1\.5: design plan \| cleanup — design manifest export failed/,
  );
  expect(exportFailureWarning('D')).toBe(
    '**⚠ 5: cleanup — design manifest export failed. Parent /implement will rerun /design. Preserving D for inspection.**',
  );
});

test('F-33 L-127 values keep their further equal signs', () => {
  expect(
    parseKeyValues('A=b=c\r\n# B=1\n\nnoise\n=x\nCURSOR_PROBE_ERROR=a=b').get('CURSOR_PROBE_ERROR'),
  ).toBe('a=b');
  expect([...parseKeyValues('A=b=c\n# B=1\nnoise\n=x')]).toEqual([['A', 'b=c']]);
});

test('F-10 no value can become a second line', () => {
  expect(() => renderKeyValues([['A', 'x\nB=1']])).toThrow(/control characters/);
  expect(() => renderKeyValues([['a b', 'x']])).toThrow(/invalid key/);
  expect(renderKeyValues([['A', 'x=y']])).toBe('A=x=y\n');
});

test('L-007 L-114 L-115 L-883 L-910 session environment: known keys, never evaluated, missing file is empty', async () => {
  expect(parseSessionEnvironment('REPO=$(rm -rf x)\nEVIL=1\nCODEX_HEALTHY=false')).toEqual({
    REPO: '$(rm -rf x)',
    CODEX_HEALTHY: 'false',
  });
  expect(await readSessionEnvironment('')).toEqual({});
  expect(await readSessionEnvironment(path.join(root, 'none'))).toEqual({});
  const file = path.join(root, 'session.env');
  await writeFile(file, '# of the caller\nREPO=a/b\nCURSOR_HEALTHY=true\n');
  expect(await readSessionEnvironment(file)).toEqual({ REPO: 'a/b', CURSOR_HEALTHY: 'true' });
  expect(knownUnhealthy({ CODEX_HEALTHY: 'false', CURSOR_HEALTHY: 'true', SLACK_OK: 'false' })).toEqual([
    'codex',
  ]);
});

test('L-128 L-978 F-11 the health file: unknown is false', () => {
  expect(
    renderHealth({
      codex: { available: true, healthy: true },
      cursor: undefined,
      gone: { available: false, healthy: true },
    }),
  ).toBe('CODEX_HEALTHY=true\nCURSOR_HEALTHY=false\nGONE_HEALTHY=false\n');
  expect(healthFile('/a/env')).toBe('/a/env.health');
});
