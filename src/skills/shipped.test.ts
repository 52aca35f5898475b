import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { lintTexts } from '../../test/support/skill-packages.ts';
import { parseJson } from '../base/safe-json.ts';
import { shippedRoot, shippedSkills } from './install/package-tree.ts';
import { lintPaths } from './lint/lint-paths.ts';
import { buildPackage } from './model/package.ts';
import { readPackageFiles } from './package-files.ts';
import { readOutputSchemas } from './run/outputs.ts';
import { runPlan } from './run/run-plan.ts';
import { readScenario, simulate } from './run/simulate.ts';

test('the shipped packages are there and lint without an error or warning, also against each other', () => {
  expect(shippedSkills()).toEqual(
    expect.arrayContaining([
      'design',
      'lite-plan',
      'multi-cli-plan',
      'plan',
      'skill-designer',
      'tdd',
      'test-fix',
    ]),
  );
  const { packages } = lintPaths({ paths: [], roots: [shippedRoot()], cwd: shippedRoot() });
  expect(
    packages.flatMap(({ name, findings }) =>
      findings
        .filter(({ severity }) => severity !== 'info')
        .map(({ rule, message }) => `${name} ${rule} ${message}`),
    ),
  ).toEqual([]);
});

test('T-08 the designer teaches by wrong examples and is clean, while a wrong line in each of its phases is caught', () => {
  const files = readPackageFiles(path.join(shippedRoot(), 'skill-designer'));
  const subject = buildPackage(files);
  expect(subject.phases).toHaveLength(4);
  for (const { document } of subject.phases) {
    const texts = Object.fromEntries(files.texts);
    texts[document.path] = document.text.replace(
      /^## Output$/m,
      "```javascript\nconst auto = $ARGUMENTS.includes('--yes')\n```\n\n## Output",
    );
    expect(lintTexts(texts, 'skill-designer').findings.map(({ rule, file }) => `${rule} ${file}`)).toContain(
      `HY001 ${document.path}`,
    );
  }
});

test('the scenarios of the shipped packages hold', async () => {
  const results: string[] = [];
  for (const name of shippedSkills()) {
    const directory = path.join(shippedRoot(), name);
    const folder = path.join(directory, 'tests');
    if (!existsSync(folder)) continue;
    const plan = runPlan(buildPackage(readPackageFiles(directory)));
    const schemas = await readOutputSchemas(directory);
    for (const file of readdirSync(folder)) {
      const text = readFileSync(path.join(folder, file), 'utf8');
      const place = mkdtempSync(path.join(tmpdir(), 'shipped-'));
      const scenario = readScenario(parseJson(text, file), file);
      const { problems } = await simulate(plan, scenario, { directory: place, schemas });
      rmSync(place, { recursive: true });
      results.push(`${name}/${file}: ${problems.join(' ') || 'holds'}`);
    }
  }
  expect(results.length).toBeGreaterThanOrEqual(5);
  expect(results.filter((line) => !line.endsWith(': holds'))).toEqual([]);
});
