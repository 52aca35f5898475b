import { expect, test } from 'vitest';
import { lintPackages, quietSurroundings } from '../lint/engine.ts';
import type { Surroundings } from '../lint/rule.ts';
import { cleanTexts, lintTexts, packageOf } from '../testing.ts';
import { allRules } from './catalog.ts';
import { append, first, fourth, js, routerTexts, type Texts } from './rule-cases.ts';
import { contentCases } from './rule-cases-contents.ts';
import { phaseCases } from './rule-cases-phases.ts';
import { structureCases } from './rule-cases-structure.ts';

const loud = (texts: Texts, directory?: string, surroundings?: Surroundings) =>
  lintTexts(texts, directory, surroundings).findings.map(({ rule }) => rule);

test('S-056 S-058 S-013 S-086 a generated pipeline, router and loop have no finding at all', () => {
  expect(lintTexts(cleanTexts()).findings).toEqual([]);
  const shown = (texts: Texts) => lintTexts(texts).findings.filter(({ severity }) => severity !== 'info');
  expect(shown(routerTexts())).toEqual([]);
  expect(
    shown(cleanTexts({ profile: 'loop', loop: { until: 'verdict is pass', from: 2, limit: 3 } })),
  ).toEqual([]);
});

const mutations = { ...structureCases, ...phaseCases, ...contentCases };
const cases = Object.entries(mutations).flatMap(([rule, entry]) =>
  (Array.isArray(entry) ? entry : [entry]).map((mutation) => [rule, mutation.what, mutation] as const),
);

test.each(cases)('%s fires: %s', (rule, _what, { change, directory, surroundings }) => {
  const texts = cleanTexts();
  change(texts);
  expect(loud(texts, directory, surroundings)).toContain(rule);
});

test('S-002 S-004 S-005 S-010 S-011 S-016 S-017 S-018 S-019 S-057 S-091 S-092 S-093 S-095 every rule has a test of its own', () => {
  const elsewhere = new Set(['XP001', 'XP002', 'IO001']);
  expect(
    allRules.map(({ id }) => id).filter((id) => !elsewhere.has(id) && mutations[id] === undefined),
  ).toEqual([]);
});

test('the 89 rules of the requirements are all there', () => {
  const counts = { FM: 10, ST: 10, RF: 10, SC: 6, HY: 8, CP: 13, DF: 8, PR: 6, TD: 4, CF: 5, PL: 7, XP: 2 };
  const have = Object.fromEntries(
    Object.keys(counts).map((prefix) => [prefix, allRules.filter(({ id }) => id.startsWith(prefix)).length]),
  );
  expect(have).toEqual(counts);
});

test('T-04 a file 05 headed Phase 2 with steps 2.x is one finding, not three', () => {
  const texts = cleanTexts();
  texts[fourth] = (texts[fourth] ?? '')
    .replaceAll('Phase 4', 'Phase 2')
    .replaceAll('Step 4.', 'Step 2.')
    .replaceAll(' 4.5)', ' 2.5)')
    .replaceAll('— 4.', '— 2.');
  expect(loud(texts)).toEqual(['ST004']);
});

test('S-046 S-103 XP001 XP002 duplicate triggers and copied phases show with all packages at hand', () => {
  const one = packageOf(cleanTexts(), 'demo-flow');
  const two = packageOf(cleanTexts({ skillName: 'other-flow' }), 'other-flow');
  const { packages } = lintPackages([one, two], () => quietSurroundings, true);
  expect(packages[1]?.findings.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['XP001', 'XP002']));
  expect(packages[0]?.findings).toEqual([]);
});

test('C-05 C-20 other skills may be called and named', () => {
  const texts = cleanTexts();
  append(
    first,
    `${js('SlashCommand("/issue:new")')}\n\nRun /issue:new "x" afterwards; src/foo-bar "x" is a path.`,
  )(texts);
  expect(loud(texts).filter((rule) => rule.startsWith('HY'))).toEqual([]);
});

test('T-08 examples marked as wrong teach, the same line unmarked violates', () => {
  const line = "const y = $ARGUMENTS.includes('--yes')";
  for (const text of [
    js(`// WRONG: flags in a phase\n${line}`),
    `Anti-pattern, ❌ never do this:\n\n${js(line)}`,
    `\`\`\`markdown\n${line}\n\`\`\``,
    `\`${line}\``,
  ]) {
    const texts = cleanTexts();
    append(first, text)(texts);
    expect(loud(texts)).not.toContain('HY001');
  }
  const texts = cleanTexts();
  append(first, js(`// CORRECT\nrun()\n\n${line}`))(texts);
  expect(loud(texts)).toContain('HY001');
});

test('S-102 a suppression with a reason silences its rule, for a file or for the next block', () => {
  const line = js("const y = $ARGUMENTS.includes('--yes')");
  const whole = cleanTexts();
  append(first, `<!-- lint-disable HY001 this phase teaches -->\n\n${line}`)(whole);
  expect(lintTexts(whole)).toMatchObject({ findings: [], suppressed: 1 });
  const next = cleanTexts();
  append(first, `<!-- lint-disable-next-line HY001 teaches -->\n${line}`)(next);
  expect(lintTexts(next)).toMatchObject({ findings: [], suppressed: 1 });
  const elsewhere = cleanTexts();
  append(first, `<!-- lint-disable-next-line HY001 teaches -->\ntext\n\n${line}`)(elsewhere);
  expect(loud(elsewhere)).toEqual(expect.arrayContaining(['HY001', 'SU003']));
});

test('HY003 names of several segments are found, other commands are not', () => {
  const texts = cleanTexts();
  append(first, 'Start with /demo:flow "x".')(texts);
  expect(loud(texts)).toContain('HY003');
});
