import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startRun } from './run-child.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'charrette-run-child-'));
const script = path.join(folder, 'program.mjs');
const context = { program: [process.execPath, script], config: undefined, env: {} };
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the error that ended a run is among its last words and no event', async () => {
  const error = { code: 'dirty-tree', message: 'There are changes.', fix: 'Commit them.' };
  const lines = [{ v: 1, type: 'run-start', run: 'a' }, { error }].map((line) => JSON.stringify(line));
  writeFileSync(script, `console.log(${JSON.stringify(lines.join('\n'))}); process.exitCode = 5;`);
  const child = startRun(['design', '-'], 'x', folder, context);
  const types: string[] = [];
  for await (const { type } of child.events) types.push(type);
  expect(types).toEqual(['run-start']);
  expect(await child.ended).toEqual({
    code: 5,
    said: 'There are changes. [dirty-tree]\n  fix: Commit them.\n',
  });
});

test('a run that is told twice to stop hears it once', async () => {
  writeFileSync(
    script,
    `let heard = 0;
    process.on('SIGINT', () => {
      heard += 1;
      setTimeout(() => process.exit(heard), 300);
    });
    setInterval(() => {}, 1000);
    console.log('{"type":"run-start"}');`,
  );
  const child = startRun(['design', '-'], 'x', folder, context);
  await child.events.next();
  child.stop();
  await new Promise((resolve) => setTimeout(resolve, 100));
  child.stop();
  expect((await child.ended).code).toBe(1);
});
