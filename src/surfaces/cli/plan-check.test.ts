import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { useExampleShop } from '../../../test/example-shop.ts';
import { runCommandLine as run } from '../../../test/support/run-command-line.ts';
import { parseJson } from '../../base/safe-json.ts';

const shop = useExampleShop();
const folder = mkdtempSync(path.join(tmpdir(), 'charrette-plans-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const check = (...words: string[]) => run('plan', 'check', ...words, '--cwd', shop.directory);

function planFile(name: string, text: string): string {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
}

const plan = (source: string) => `## Files to modify/create
- \`${source}\`: a status
- \`test/orders.test.ts\`: cases

## Approach
Use \`changeStatus()\`.

## Edge cases
- none

## Failure modes
- none

## Testing strategy
\`npm test\`
`;

test('a correct plan exits 0; a wrong one exits 6 and lists its faults', async () => {
  const right = await check(planFile('right.md', plan('src/orders/order.ts')));
  expect(right).toMatchObject({ exit: 0, err: '' });
  expect(right.out).toContain('0 errors, 0 warnings');
  const wrong = await check(
    planFile('wrong.md', plan('src/orders/state.ts').replace('npm test', 'npm run x')),
  );
  expect(wrong.exit).toBe(6);
  expect(wrong.out).toContain('✗ command npm run x: missing; no package.json has the script "x"');
  expect(wrong.out).toContain('⚠ file src/orders/state.ts: missing');
});

test('--fail-on warning exits 6 for warnings too', async () => {
  const file = planFile('warned.md', plan('src/orders/state.ts'));
  expect(await check(file)).toMatchObject({
    exit: 0,
    out: expect.stringMatching(/0 errors, [1-9]\d* warnings/),
  });
  expect((await check(file, '--fail-on', 'error')).exit).toBe(0);
  expect((await check(file, '--fail-on', 'warning')).exit).toBe(6);
  expect((await check(planFile('right.md', plan('src/orders/order.ts')), '--fail-on', 'warning')).exit).toBe(
    0,
  );
});

test('--json gives every fact, --commit chooses the state', async () => {
  const file = planFile('store.md', plan('src/storage/file-store.ts'));
  const now = parseJson((await check(file, '--json')).out, 'stdout');
  expect(now).toMatchObject({ commit: shop.commit, errors: 0, warnings: 0 });
  const before = parseJson((await check(file, '--json', '--commit', 'HEAD~5')).out, 'stdout');
  expect(before).toMatchObject({ warnings: 1 });
});

test('what cannot be checked is refused with a reason', async () => {
  expect(await check('no-such-plan.md')).toMatchObject({ exit: 4 });
  expect((await check(planFile('x.json', '{"title": 1}'))).err).toContain('is not a plan');
  expect((await check(planFile('y.json', '{'))).exit).toBe(2);
  expect((await check()).err).toContain('No runs in');
  expect((await check(planFile('z.md', plan('a.ts')), '--commit', 'nowhere')).exit).toBe(4);
});

test.each([
  ['prose', 'The weather is nice. We ran npm test.\n', 'it has 1 line of text without headings'],
  ['another document', '# Shopping\n\n## Tests\n\n- milk\n', 'its headings are "Shopping", "Tests"'],
  ['an empty file', '\n', 'it is empty'],
])('plan check refuses %s instead of listing the sections it lacks', async (_, text, found) => {
  const refused = await check(planFile('other.md', text), '--json');
  expect(refused.exit).toBe(2);
  expect(parseJson(refused.out, 'stdout')).toMatchObject({
    error: { code: 'plan-invalid', message: expect.stringContaining(`other.md is not a plan: ${found};`) },
  });
});

test('the plan of a run is checked at its base commit, with its decisions', async () => {
  const root = path.join(shop.directory, '.charrette', 'runs', '20260301-120000-cancel-1a2b');
  mkdirSync(path.join(root, 'artifacts'), { recursive: true });
  writeFileSync(
    path.join(root, 'run.json'),
    JSON.stringify({
      schemaVersion: 1,
      run: path.basename(root),
      workflow: 'design',
      codeVersion: '1',
      title: 'cancel',
      status: 'done',
      baseCommit: shop.commit,
      created: '2026-03-01T12:00:00.000Z',
      inputs: { dialectic: 'binding' },
    }),
  );
  const written = {
    title: 'Cancel',
    summary: 'x',
    files: [{ path: 'src/orders/order.ts', action: 'modify', description: 'x' }],
    approach: 'x',
    edgeCases: ['x'],
    failureModes: [{ failure: 'x', warning: 'x', mitigation: 'x' }],
    testing: 'x',
    tests: [{ path: 'test/orders.test.ts', description: 'x' }],
  };
  writeFileSync(path.join(root, 'artifacts', 'plan.json'), JSON.stringify(written));
  expect(await check()).toMatchObject({ exit: 0 });
  const resolution = `### DECISION_1: Refund
**Resolution**: Refund at once
**Disposition**: voted
**Vote tally**: THESIS=3, ANTI_THESIS=0
**Thesis summary**: x
**Antithesis summary**: x
**Why thesis prevails**: x
`;
  const file = path.join(root, 'artifacts', 'dialectic-resolutions.md');
  writeFileSync(file, resolution);
  const unmet = await check('--run', 'cancel');
  expect(unmet.exit).toBe(6);
  expect(unmet.out).toContain('DECISION_1: Refund: missing');
  writeFileSync(file, 'garbage');
  expect((await check()).out).toContain('dialectic-resolutions.md: unchecked; cannot be read');
});
