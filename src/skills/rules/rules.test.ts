import { expect, test } from 'vitest';
import { contentCases } from '../../../test/rule-cases/contents.ts';
import {
  append,
  first,
  fourth,
  js,
  routerTexts,
  skill,
  type Texts,
} from '../../../test/rule-cases/mutations.ts';
import { phaseCases } from '../../../test/rule-cases/phases.ts';
import { structureCases } from '../../../test/rule-cases/structure.ts';
import { cleanTexts, lintTexts, packageOf } from '../../../test/support/skill-packages.ts';
import { lintPackages, quietSurroundings } from '../lint/engine.ts';
import type { Surroundings } from '../lint/rule.ts';
import { allRules } from './catalog.ts';

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

test('S-002 S-004 S-005 S-010 S-011 S-016 S-017 S-018 S-019 S-057 S-091 S-092 S-093 S-095 every rule has its own test', () => {
  const elsewhere = new Set(['XP001', 'XP002', 'IO001']);
  expect(
    allRules.map(({ id }) => id).filter((id) => !elsewhere.has(id) && mutations[id] === undefined),
  ).toEqual([]);
});

test('the 90 rules of the requirements are all there', () => {
  const counts = { FM: 10, ST: 10, RF: 10, SC: 6, HY: 8, CP: 13, DF: 8, PR: 6, TD: 4, CF: 6, PL: 7, XP: 2 };
  const have = Object.fromEntries(
    Object.keys(counts).map((prefix) => [prefix, allRules.filter(({ id }) => id.startsWith(prefix)).length]),
  );
  expect(have).toEqual(counts);
});

test('T-04 CP005 CP013: heading, sentinel and steps are each compared with the number of the file', () => {
  const texts = cleanTexts();
  texts[fourth] = (texts[fourth] ?? '')
    .replace('# Phase 4:', '# Phase 2:')
    .replaceAll('Step 4.', 'Step 2.')
    .replaceAll('— 4.', '— 2.');
  expect(loud(texts)).toEqual(['ST004', 'CP005', 'CP013']);
  const messages = lintTexts(texts).findings.map(({ message }) => message);
  expect(messages.join('\n')).toContain('The H1 says Phase 2, the file name 4.');
  expect(messages.join('\n')).toContain('The sentinel says Phase 4 like the file name, the heading Phase 2.');
  expect(messages.join('\n')).toContain('Step 2.1 stands in phase 4');
  expect(lintTexts(texts).findings.find(({ rule }) => rule === 'CP005')?.fixable).toBe(false);
});

test('CP006: a checkpoint that says re-read names a file of the package', () => {
  const line = (file: string) =>
    `> **CHECKPOINT**: Verify the protocol is in active memory. If only a summary remains, re-read \`${file}\` now.`;
  const single = (file: string) => ({
    [skill]: `---\nname: demo-flow\ndescription: Runs when asked. Triggers on "demo".\n---\n\n# Demo\n\n## Step 1: Run\n\n${line(file)}\n`,
  });
  const found = (texts: Record<string, string>) =>
    lintTexts(texts)
      .findings.filter(({ rule }) => rule === 'CP006')
      .map(({ file, message }) => `${file} ${message}`);
  expect(found(single('phases/02-execute.md'))).toEqual([
    expect.stringContaining('SKILL.md The recovery path phases/02-execute.md does not exist.'),
  ]);
  expect(found(single('SKILL.md'))).toEqual([]);
  const texts = cleanTexts();
  append(first, line('phases/09-gone.md'))(texts);
  expect(found(texts)).toEqual([expect.stringContaining(`${first} The recovery path phases/09-gone.md`)]);
});

test('CP012 S-089: one-line checkpoints, handoff comments and the anchor below the table are the older form', () => {
  const found = (file: string, text: string) => {
    const texts = cleanTexts();
    append(file, text)(texts);
    return lintTexts(texts).findings.filter(({ rule }) => rule === 'CP012').length;
  };
  const comment = '// ⚠️ COMPACT PROTECTION: Phase 2 instructions MUST persist in memory.';
  expect(found(first, js(`${comment}\nRead("phases/02-context-gather.md")`))).toBe(1);
  expect(found(first, `\`\`\`markdown\n${comment}\n\`\`\``)).toBe(0);
  expect(found(first, js(comment.replace('Phase 2', 'Phase N')))).toBe(0);
  expect(found(fourth, `> **⚠️ CHECKPOINT**: If only a summary remains, re-read \`${fourth}\` now.`)).toBe(1);
  expect(found(skill, '**Phase 4 Compact Rule**: keep phase 4 whole.')).toBe(1);
});

test('FM008: a diagram or an example that starts the skill itself is not a call', () => {
  const found = (text: string) => {
    const texts = cleanTexts();
    append(skill, `\`\`\`\n${text}\n\`\`\``)(texts);
    return loud(texts).filter((rule) => rule === 'FM008');
  };
  expect(found('│  Skill(skill="demo-flow", args="--role=x")  │')).toEqual([]);
  expect(found('Skill(skill="demo:flow", args="task")')).toEqual([]);
  expect(found('user: Skill(args="task")')).toEqual([]);
  expect(found('Skill(skill="demo-flow")\nSkill(skill="other-flow")')).toEqual(['FM008']);
});

test('FM008: a comment or a string that names a tool is not a call, and hides no later call', () => {
  const found = (text: string) => {
    const texts = cleanTexts();
    append(skill, `\`\`\`javascript\n${text}\n\`\`\``)(texts);
    return loud(texts).filter((rule) => rule === 'FM008');
  };
  const named =
    '// Discover sub-commands by scanning Skill() calls\ncall.replace(\'Skill(skill="\', "")\nname: "by hand (Skill(skill=...)"';
  expect(found(named)).toEqual([]);
  expect(found(`${named}\nSkill(skill="other-flow")`)).toEqual(['FM008']);
  expect(found('// WRONG\nSkill(skill="a")\n\nSkill(skill="other-flow")')).toEqual(['FM008']);
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
