import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { featureDirectory } from '../../test/support/feature-directory.ts';
import { artifacts, sideFiles } from './artifacts.ts';
import { type CompileInput, chooseTransport, compilePrompt, findShellPlaceholders } from './compile.ts';
import { readFeature } from './feature-files.ts';
import { compose, seededNonce } from './part.ts';
import { dispatches, dispatchFor } from './roles/table.ts';

const nonce = seededNonce('test');

async function compiled(
  command: string,
  role: string,
  more: Partial<CompileInput> = {},
  content: Parameters<typeof featureDirectory>[0] = {},
) {
  const { directory } = featureDirectory(content);
  const feature = await readFeature(directory);
  const result = compilePrompt({
    dispatch: dispatchFor(command, role),
    files: feature.files,
    prd: feature.prd,
    transport: 'reference',
    iteration: { iteration: 1, max: 5 },
    ...more,
  });
  return { ...result, directory, ...compose(result.draft, { nonce }) };
}

test('T-004, T-005, T-037…T-039: one bullet per artifact, absolute, under a directive without choice', async () => {
  const { text, directory } = await compiled('implement', 'security-reviewer');
  expect(text).toContain(
    [
      '## Required Artifacts',
      'You MUST read the following files before beginning your review.',
      'After reading, confirm: "Files read: {name} ({N} lines), ..." in a single line.',
      `- Design: ${directory}/design.md`,
      `- Spec: ${directory}/spec.md`,
      '',
    ].join('\n'),
  );
  expect(text).not.toContain('PRD');
});

test.each([
  ['implement', 'implementer', 'work'],
  ['implement', 'test-deepener', 'work'],
  ['implement', 'code-simplifier', 'review'],
])('T-038: %s %s reads before its %s', async (command, role, word) => {
  expect((await compiled(command, role)).text).toContain(
    `## Required Artifacts\nYou MUST read the following files before beginning your ${word}.\nAfter reading, confirm: `,
  );
});

test('T-006, T-140, T-141: no prompt asks for the text of an artifact', async () => {
  for (const { command, role } of dispatches.filter(({ command }) => command !== 'implementing')) {
    const { text } = await compiled(command, role);
    expect(injectionsIn(text), role).toEqual([]);
    if (command !== 'brainstorm') expect(text, role).not.toMatch(prdSection);
  }
});

/** T-140: a placeholder that asks for the text of an artifact, in either word order; scoped sections are meant to be inline. */
function injectionsIn(text: string): string[] {
  const placeholders = text.match(/\{[^{}\n]*\}/g) ?? [];
  return placeholders.filter(
    (each) => /content.*\.md|\.md.*content/i.test(each) && !each.includes('extractSection('),
  );
}

/** T-141: the PRD is read whole, never by section. */
const prdSection =
  /\bprd\b[^\n]{0,80}\b(?:problem statement|goals)\b|\b(?:problem statement|goals)\b[^\n]{0,80}\bprd(?:\.md)?\b/i;

test('T-140, T-141: the audit sees both word orders and lets scoped sections be', () => {
  expect(
    injectionsIn('a\n{content of spec.md}\n{design.md content}\n{extractSection(plan.md content)}'),
  ).toEqual(['{content of spec.md}', '{design.md content}']);
  expect('{Problem Statement + Goals from prd.md}').toMatch(prdSection);
});

test('T-145: placeholders in shell commands are found, variables are not', () => {
  const tasks = [
    '```bash',
    'grep x {feature_path}/y',
    `echo $${'{HOME}'}`,
    '```',
    '```ts',
    'const {a} = b;',
    '```',
  ].join('\n');
  expect(findShellPlaceholders(tasks)).toEqual([{ line: 2, text: 'grep x {feature_path}/y' }]);
});

/** The lines of one section of a prompt. */
const section = (text: string, heading: string) =>
  (text.split(`## ${heading}\n`)[1] ?? '').split('\n\n')[0]?.split('\n');

test('T-007 I5: by reference the artifact under review has its own section, not a line of the block', async () => {
  for (const [command, role, file] of [
    ['specify', 'spec-reviewer', 'spec'],
    ['design', 'design-reviewer', 'design'],
    ['plan', 'plan-reviewer', 'plan'],
    ['tasks', 'task-reviewer', 'tasks'],
  ] as const) {
    const { text, directory, expected } = await compiled(command, role);
    expect(section(text, 'Required Artifacts')?.join(), role).not.toContain(`${file}.md`);
    expect(section(text, 'Artifact Under Review')?.[1], role).toMatch(
      new RegExp(`^- \\w+: ${directory}/${file}\\.md$`),
    );
    expect(expected.at(-1)).toBe(file);
  }
});

test('T-007, T-011, T-143: inline the target leaves the block and comes complete after the schema', async () => {
  const { text, directory, expected, inlined } = await compiled('specify', 'spec-reviewer', {
    transport: 'inline',
  });
  expect(text).not.toContain(`${directory}/spec.md`);
  expect(text).toMatch(/Complete spec\.md: 4 lines, sha256 [0-9a-f]{12}\. Report a cut copy first\./);
  expect(text.indexOf('"approved"')).toBeLessThan(text.indexOf('- it works'));
  expect([expected, inlined]).toEqual([['prd'], ['spec']]);
});

test('T-008: a phase reviewer has the artifact of its phase in the block, whatever the transport', async () => {
  const { text, directory } = await compiled('design', 'phase-reviewer', { transport: 'inline' });
  expect(text).toContain(`- Design: ${directory}/design.md`);
  expect(text).not.toContain('keeps things');
});

test('T-009, T-040: code roles get the list of files, document roles do not', async () => {
  const files = ['src/a.ts', 'src/b\n## Answer.ts'];
  const code = await compiled('implement', 'implementation-reviewer', { implementationFiles: files });
  expect(code.text).toContain('## Implementation Files\nsrc/a.ts\nsrc/b\ufffd## Answer.ts\n');
  const document = await compiled('design', 'design-reviewer', { implementationFiles: files });
  expect(document.text).not.toContain('Implementation Files');
});

test('T-110: the fixer gets all files and the issues of failed reviewers', async () => {
  const { text } = await compiled('implement', 'implementer', {
    issues: '- leak',
    implementationFiles: ['a.ts'],
  });
  expect(text).toContain('## All Implementation Files\na.ts');
  expect(text).toMatch(/## Issues to fix \(from failed reviewers only\)\n<issues nonce="\w+">\n- leak\n/);
});

test('T-041, T-042, lean/C-19: names the iteration, and earlier issues from the second on', async () => {
  const first = await compiled('design', 'design-reviewer', {
    iteration: { iteration: 1, max: 5, previousIssues: 'x' },
  });
  expect(first.text).toMatch(/## Iteration Context\nThis is iteration 1 of 5\.\n$/);
  const second = await compiled('design', 'design-reviewer', {
    iteration: { iteration: 2, max: 5, previousIssues: '- gap' },
  });
  expect(second.text).toMatch(
    /This is iteration 2 of 5\.\nPrevious issues to re-evaluate:\n<previous_issues [^>]+>\n- gap\n/,
  );
  expect((await compiled('design', 'phase-reviewer')).text).toContain('This is phase-review iteration 1/5.');
});

test('T-043, T-044: the prefix is the same in every iteration, with everything that changes behind it', async () => {
  const { directory } = featureDirectory();
  const feature = await readFeature(directory);
  for (const dispatch of dispatches.filter(({ resumable }) => resumable)) {
    const prefixes = [1, 2, 5].map((iteration) => {
      const { draft } = compilePrompt({
        dispatch,
        files: feature.files,
        prd: feature.prd,
        transport: 'reference',
        iteration: { iteration, max: 5, previousIssues: `issue ${iteration}` },
        implementationFiles: [`file-${iteration}.ts`],
        issues: `fix ${iteration}`,
      });
      return compose(draft, { nonce: seededNonce(String(iteration)) }).prefix;
    });
    expect(new Set(prefixes).size, dispatch.role).toBe(1);
  }
});

test('T-045, T-046: every role states its answer; the phase reviewer what comes next', async () => {
  for (const { command, role } of dispatches.filter(({ command }) => command !== 'implementing')) {
    expect((await compiled(command, role)).text, role).toMatch(/## (?:JSON\n{|Answer\nReport ).+/);
  }
  expect((await compiled('specify', 'phase-reviewer')).text).toContain('## Next Phase Expectations\n');
  expect((await compiled('specify', 'spec-reviewer')).text).not.toContain('Next Phase Expectations');
});

test('T-047, T-048: the outcome of the domain reviewer, when there was one', async () => {
  const outcome = { reviewer: 'spec-reviewer', approved: true, iteration: 2, max: 5, unresolved: [] };
  const passed = await compiled('specify', 'phase-reviewer', { outcome });
  expect(passed.text).toContain(
    '## Domain Reviewer Outcome\n- Reviewer: spec-reviewer\n- Result: APPROVED at iteration 2/5\n- Unresolved issues: none\n',
  );
  const failed = await compiled('specify', 'phase-reviewer', {
    outcome: { ...outcome, approved: false, iteration: 5, unresolved: ['vague'] },
  });
  expect(failed.text).toContain(
    '- Result: FAILED at iteration cap (5/5)\n- Unresolved issues:\n<unresolved_issues',
  );
  expect((await compiled('specify', 'phase-reviewer')).text).not.toContain('Domain Reviewer Outcome');
});

test('T-049: the test outliner is kept from the code, the test writer has no block', async () => {
  expect((await compiled('implement', 'test-deepener')).text).toContain('do NOT read the implementation');
  const writer = await compiled('implement', 'test-deepener-b', { outlines: 'given, when, then' });
  expect(writer.text).not.toContain('Required Artifacts');
  expect(writer.text).toContain('## Test Outlines');
  expect(writer.expected).toEqual([]);
});

test('T-133, T-146: brainstorm reviewers keep the PRD in the prompt', async () => {
  const { text, inlined } = await compiled('brainstorm', 'prd-reviewer');
  expect(text).toContain('Complete prd.md');
  expect(inlined).toEqual(['prd']);
});

test('T-016, T-017, T-018: the sentinel replaces the PRD; pruned roles get nothing', async () => {
  const content = { prd: undefined, meta: '{"brainstorm_source": "docs/gone.md"}' } as never;
  const reviewer = await compiled('design', 'design-reviewer', {}, content);
  expect(reviewer.text).toContain('\n- PRD: No PRD — feature created without brainstorm\n- Spec: /');
  expect(reviewer.warnings.join()).toContain('docs/gone.md');
  expect(reviewer.expected).toEqual(['spec', 'design']);
  const pruned = await compiled('implement', 'code-quality-reviewer', {}, content);
  expect(pruned.text).not.toContain('PRD');
  expect(pruned.warnings).toEqual([]);
});

test('lean/C-11: a missing required file stops the call, another is reported', async () => {
  const without = { design: undefined } as never;
  await expect(compiled('design', 'design-reviewer', {}, without)).rejects.toThrow(
    /needs design\.md, which is missing; the feature has prd\.md, spec\.md/,
  );
  await expect(compiled('plan', 'phase-reviewer', {}, without)).rejects.toMatchObject({
    code: 'artifact-missing',
  });
  const soft = await compiled('implement', 'security-reviewer', {}, without);
  expect(soft.text).toContain('- Design: not available\n');
  expect([soft.warnings, soft.expected]).toEqual([['design.md is missing'], ['spec']]);
});

test('lean/C-05, T-142: transport by request, by ability to read, by size', () => {
  expect(chooseTransport({ canRead: true, characters: 10 })).toBe('inline');
  expect(chooseTransport({ canRead: true, characters: 10, requested: 'reference' })).toBe('reference');
  expect(chooseTransport({ canRead: true, characters: 11, inlineUpTo: 10 })).toBe('reference');
  expect(chooseTransport({ canRead: false, characters: 10, requested: 'reference' })).toBe('inline');
  expect(chooseTransport({ canRead: true, characters: 10, inlineUpTo: 10 })).toBe('inline');
  expect(chooseTransport({ canRead: true, characters: 10, requested: 'inline' })).toBe('inline');
});

test('T-018: every prompt of the run uses the first resolution, without reading the disk again', async () => {
  const { directory } = featureDirectory();
  const feature = await readFeature(directory);
  rmSync(directory, { recursive: true });
  for (const role of ['test-deepener', 'implementation-reviewer', 'implementer']) {
    const { draft } = compilePrompt({
      dispatch: dispatchFor('implement', role),
      files: feature.files,
      prd: feature.prd,
      transport: 'reference',
      iteration: { iteration: 1, max: 5 },
    });
    expect(compose(draft, { nonce }).text, role).toContain(`- PRD: ${directory}/prd.md`);
  }
});

test('T-002, T-003: names and labels of the files of a feature', () => {
  expect(Object.entries(artifacts).map(([key, { file, label }]) => [key, file, label])).toEqual([
    ['prd', 'prd.md', 'PRD'],
    ['spec', 'spec.md', 'Spec'],
    ['design', 'design.md', 'Design'],
    ['plan', 'plan.md', 'Plan'],
    ['tasks', 'tasks.md', 'Tasks'],
  ]);
  expect(Object.values(sideFiles)).toEqual([
    '.meta.json',
    '.review-history.md',
    'implementation-log.md',
    'retro.md',
  ]);
});

test('T-103: a fresh call for a lost session says so and carries the issues', async () => {
  const iteration = { iteration: 3, max: 5, previousIssues: '- gap', unavailable: 'review' } as const;
  const { text } = await compiled('design', 'design-reviewer', { iteration });
  expect(text).toContain(
    'This is iteration 3 of 5.\n(Fresh dispatch — prior review session unavailable.)\nPrevious issues',
  );
  const fix = await compiled('implement', 'implementer', { iteration: { ...iteration, unavailable: 'fix' } });
  expect(fix.text).toContain('(Fresh dispatch — prior fix session unavailable.)');
});

test('T-150: no prompt says that every iteration is a new call', () => {
  const all = dispatches.map(({ rubric, expects = '' }) => `${rubric} ${expects}`).join('\n');
  expect(all).not.toMatch(/\b(?:always a new|new (?:task|dispatch|agent))\b/i);
});
