import { expect, test } from 'vitest';
import { lintPackages, quietSurroundings } from '../lint/engine.ts';
import type { Surroundings } from '../lint/rule.ts';
import { cleanTexts, lintTexts, packageOf } from '../testing.ts';
import { allRules } from './catalog.ts';

type Texts = Record<string, string>;
type Mutation = {
  what: string;
  change: (texts: Texts) => void;
  directory?: string;
  surroundings?: Surroundings;
};

const skill = 'SKILL.md';
const [first, second, third, fourth] = [
  'phases/01-session-init.md',
  'phases/02-context-gather.md',
  'phases/03-conflict-resolution.md',
  'phases/04-task-generation.md',
] as const;

const replace = (file: string, from: string | RegExp, to: string) => (texts: Texts) => {
  const before = texts[file] ?? '';
  const after = before.replace(from, to);
  if (after === before) throw new Error(`${file} does not contain ${String(from)}`);
  texts[file] = after;
};
const append = (file: string, text: string) => (texts: Texts) => {
  texts[file] = `${texts[file] ?? ''}\n${text}\n`;
};
const js = (code: string) => `\`\`\`javascript\n${code}\n\`\`\``;
const converted = (
  source: string,
  edits: { kind: string; before: string; after: string }[] = [],
): Surroundings => ({
  installed: undefined,
  conversion: { phases: [{ file: first, source, edits }] },
});
const plan =
  (tasks: Record<string, unknown>[], more: Record<string, unknown> = {}) =>
  (texts: Texts) => {
    const ids = tasks.map((task) => task['id']);
    texts['plan.json'] = JSON.stringify({
      summary: 's',
      approach: 'a',
      task_ids: ids,
      task_count: ids.length,
      _metadata: {},
      ...more,
    });
    tasks.forEach((task, index) => {
      texts[`.task/T${index}.json`] = JSON.stringify({
        depends_on: [],
        convergence: { criteria: ['npm test exits 0'] },
        ...task,
      });
    });
  };
const longText = (words: number) =>
  Array.from({ length: words }, (_, index) => `word${index} and more words`).join('\n');

/** One violation a rule. Each is a change of a clean package that its rule alone must notice. */
const mutations: Record<string, Mutation | Mutation[]> = {
  FM001: [
    { what: 'never closed', change: replace(skill, /\n---\n/, '\n') },
    { what: 'absent', change: replace(skill, /^---[\s\S]*?\n---\n/, '') },
    { what: 'not YAML', change: replace(skill, 'name: demo-flow', 'name: demo-flow\n\tbroken: {') },
  ],
  FM002: [
    { what: 'not kebab-case', change: replace(skill, 'name: demo-flow', 'name: Demo_Flow') },
    { what: 'too long', change: replace(skill, 'name: demo-flow', `name: ${'a'.repeat(65)}`) },
    { what: 'absent', change: replace(skill, 'name: demo-flow\n', '') },
  ],
  FM003: { what: 'another directory', directory: 'other', change: () => {} },
  FM004: [
    { what: 'empty', change: replace(skill, /description: .*/, 'description:') },
    { what: 'too long', change: replace(skill, 'Shows a workflow', `Shows ${'long '.repeat(220)} workflow`) },
  ],
  FM005: { what: 'no trigger', change: replace(skill, / Triggers on .*"\./, '') },
  FM006: { what: 'no tools', change: replace(skill, /allowed-tools: .*\n/, '') },
  FM007: {
    what: 'wildcard and double',
    change: replace(skill, 'allowed-tools: ', 'allowed-tools: Read(*), Read, '),
  },
  FM008: { what: 'undeclared', change: append(first, js('Skill(skill="other-skill")')) },
  FM009: {
    what: 'command key',
    change: replace(skill, '\nallowed-tools', '\nargument-hint: "[-y] task"\nallowed-tools'),
  },
  FM010: {
    what: 'colon',
    change: replace(skill, /description: .*/, 'description: Plan: build it. Triggers on "x".'),
  },
  ST001: { what: 'only phases', change: (texts) => delete texts[skill] },
  ST002: {
    what: 'underscore',
    change: (texts) => {
      texts['phases/1_plan.md'] = '# Phase 1: X\n';
    },
  },
  ST003: {
    what: 'gap',
    change: (texts) => {
      texts['phases/06-late.md'] = '# Phase 6: Late\n';
    },
  },
  ST004: { what: 'other number', change: replace(second, '# Phase 2', '# Phase 7') },
  ST005: { what: 'second H1', change: append(first, '# Another Command') },
  ST006: {
    what: 'eleven',
    change: (texts) => {
      for (let number = 5; number <= 11; number += 1)
        texts[`phases/${String(number).padStart(2, '0')}-x.md`] = `# Phase ${number}: X\n`;
    },
  },
  ST007: { what: 'long', change: append(skill, 'line\n'.repeat(500)) },
  ST008: [
    { what: 'agent call', change: append(skill, js(`Task({ prompt: \`\n${'line\n'.repeat(20)}\` })`)) },
    { what: 'shell', change: append(skill, `\`\`\`bash\n${'echo x\n'.repeat(12)}\`\`\``) },
  ],
  ST009: { what: 'inner phase', change: append(first, '### Phase 2: Clarification\n\ntext') },
  ST010: { what: 'todo', change: append(first, 'TODO: Add execution detail for Review') },
  RF001: [
    { what: 'Ref', change: replace(skill, 'Ref: phases/02-context-gather.md', 'Ref: phases/02-missing.md') },
    { what: 'link', change: append(skill, '[gone](references/gone.md)') },
  ],
  RF002: { what: 'no table', change: replace(skill, /\| Phase \| Document[\s\S]*?\n\n/, '\n') },
  RF003: [
    {
      what: 'wrong file',
      change: replace(
        skill,
        '| 2 | [phases/02-context-gather.md](phases/02-context-gather.md)',
        '| 2 | [phases/03-conflict-resolution.md](phases/03-conflict-resolution.md)',
      ),
    },
    { what: 'no row', change: replace(skill, /\| 2 \| \[phases.*\n/, '') },
  ],
  RF004: { what: 'no Ref', change: replace(skill, 'Ref: phases/02-context-gather.md', 'the second phase') },
  RF005: { what: 'number', change: replace(first, '[Phase 2: Context Gather]', '[Phase 3: Context Gather]') },
  RF006: { what: 'none', change: replace(first, /## Next Phase[\s\S]*$/, '') },
  RF007: {
    what: 'orphan',
    change: (texts) => {
      texts['phases/05-old.md'] = '# Phase 5: Old\n';
    },
  },
  RF008: [
    { what: 'named', change: append(first, 'see SKILL.md "Compact Protection" section') },
    { what: 'anchor', change: append(first, '[x](../SKILL.md#no-such-thing)') },
  ],
  RF009: {
    what: 'not there',
    surroundings: { installed: new Set(['demo-flow']), conversion: undefined },
    change: append(skill, js('Skill(skill="workflow:status")')),
  },
  RF010: { what: 'absolute', change: append(first, js('Read("/home/me/phases/01.md")')) },
  SC001: { what: 'longer heading', change: replace(skill, '## Data Flow', '### Data Flow notes') },
  SC002: { what: 'no checklist', change: replace(skill, '## Coordinator Checklist', '## List') },
  SC003: { what: 'auto mode', change: replace(skill, '## Auto Mode Defaults', '## Something') },
  SC004: {
    what: 'no row',
    change: (texts) =>
      Object.assign(texts, routerTexts(), {
        [skill]: routerTexts()[skill]?.replace(/\| `demo:run`.*\n/, ''),
      }),
  },
  SC005: { what: 'no output', change: replace(first, '## Output', '## Result') },
  SC006: { what: 'empty', change: replace(skill, '## Core Rules', '## Empty\n\n## Core Rules') },
  HY001: [
    { what: 'includes', change: append(first, js("const y = $ARGUMENTS.includes('--yes')")) },
    { what: 'match', change: append(fourth, js('const id = $ARGUMENTS.match(/x/)')) },
  ],
  HY002: { what: 'own skill', change: append(first, js('Skill(skill="demo-flow", args="--in-memory")')) },
  HY003: [
    { what: 'with quotes', change: append(first, '`/demo:flow "Add dark mode"`') },
    { what: 'without', change: append(first, 'Run /demo-flow again.') },
  ],
  HY004: [
    { what: 'bold', change: append(first, '**Source**: Converted from commands/plan.md') },
    { what: 'plain', change: append(first, 'Source: converted from commands/plan.md') },
  ],
  HY005: [
    { what: 'line', change: append(first, '-y, --yes   Skip prompts') },
    { what: 'table', change: append(first, '| Flag | Does |\n|---|---|\n| `--dry-run` | nothing |') },
  ],
  HY006: { what: 'abbreviated', change: append(first, 'See original command for details.') },
  HY007: {
    what: 'background',
    change: append(
      first,
      js('Task({ subagent_type: "cli-explore-agent", run_in_background: true, prompt: "x" })'),
    ),
  },
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is about it
  HY008: { what: 'interpolated', change: append(first, js('Bash(`ccw cli -p "${prompt}"`)')) },
  CP001: {
    what: 'three columns',
    change: (texts) =>
      replace(
        skill,
        /^(\| (?:Phase|\d) \|.*) \|[^|\n]*\|$|^(\|---\|---\|---)\|---\|(?=\n\| 1)/gm,
        '$1$2 |',
      )(texts),
  },
  CP002: [
    { what: 'mark only', change: replace(third, /> \*\*📌[\s\S]*?\n\n/u, '') },
    { what: 'sentinel only', change: replace(skill, /(\| 4 \|.*)\+ 🔄 sentinel/, '$1') },
  ],
  CP003: { what: 'count', change: replace(fourth, /contains \d+ execution/, 'contains 9 execution') },
  CP004: { what: 'range', change: replace(fourth, '(Step 4.1 —', '(Step 4.0 —') },
  CP005: { what: 'phase', change: replace(fourth, 'SENTINEL [Phase 4:', 'SENTINEL [Phase 5:') },
  CP006: {
    what: 'path',
    change: replace(
      fourth,
      'Recovery: `Read("phases/04-task-generation.md")`',
      'Recovery: `Read("phases/01-session-init.md")`',
    ),
  },
  CP007: {
    what: 'late',
    change: replace(fourth, /(# Phase 4: Task Generation\n\n)((?:>.*\n)+)/, '$1## Early\n\ntext\n\n$2'),
  },
  CP008: { what: 'no directive', change: replace(skill, /^(?:> .*\n)+/m, '') },
  CP009: { what: 'no checkpoint', change: replace(fourth, /> \*\*⚠️ CHECKPOINT[\s\S]*?\n\n/, '') },
  CP010: {
    what: 'one line',
    change: replace(
      fourth,
      /> \*\*⚠️ CHECKPOINT[\s\S]*?\n\n/,
      '> **⚠️ CHECKPOINT**: re-read if only a summary remains.\n\n',
    ),
  },
  CP011: { what: 'unmarked target', change: append(third, js('Read("phases/01-session-init.md")')) },
  CP012: { what: 'legacy', change: append(first, '> **⚠️ COMPACT PROTECTION**: do not compress.') },
  CP013: { what: 'other phase', change: replace(first, '### Step 1.1', '### Step 5.1') },
  DF001: {
    what: 'undeclared',
    change: replace(
      skill,
      '| Phase 3 | Phase 4 | `resolutionPath` |',
      '| Phase 3 | Phase 4 | `resolvedArtifacts` |',
    ),
  },
  DF002: {
    what: 'too early',
    change: replace(second, '- **Variable**: `sessionId` (from Phase 1)', '- **Variable**: `taskPath`'),
  },
  DF003: {
    what: 'unused',
    change: replace(
      first,
      '- **Variable**: `sessionId`\n',
      '- **Variable**: `sessionId`\n- **Variable**: `lostPath`\n',
    ),
  },
  DF004: {
    what: 'unknown',
    change: replace(skill, 'Condition: conflictRisk >= medium', 'Condition: riskLevel >= medium'),
  },
  DF005: { what: 'string', change: append(first, js("if (conflictRisk >= 'medium') run()")) },
  DF006: {
    what: 'unconditional',
    change: (texts) =>
      replace(fourth, /; absent when that phase was skipped: continue without it/, '')(texts),
  },
  DF007: {
    what: 'two spellings',
    change: replace(
      first,
      '- **Variable**: `sessionId`\n',
      '- **Variable**: `sessionId`\n- **Variable**: `session_id`\n',
    ),
  },
  DF008: { what: 'no such phase', change: replace(skill, 'skip to Phase 4', 'skip to Phase 7') },
  PR001: { what: 'one path', change: replace(skill, ', depth: answers.depth }', ' }') },
  PR002: {
    what: 'unread',
    change: replace(skill, /depth: "Quick" \}\n/, 'depth: "Quick", forceExplore: false }\n'),
  },
  PR003: [
    { what: 'boundary', change: append(skill, js('const y = /\\b(-y|--yes)\\b/.test(args)')) },
    { what: 'substring', change: append(skill, js("const y = $ARGUMENTS.includes('-y')")) },
  ],
  PR004: [
    { what: 'header', change: replace(skill, 'header: "Depth"', 'header: "Convergence Review"') },
    { what: 'options', change: replace(skill, /,\n\s*\{ label: "Thorough".*\}/, '') },
  ],
  PR005: { what: 'label', change: replace(skill, 'answers.autoYes === "Auto"', 'answers.autoYes === "Yes"') },
  PR006: {
    what: 'asks',
    change: replace(skill, 'if (autoYes) {\n', 'if (autoYes) {\n  AskUserQuestion({ questions: [] })\n'),
  },
  TD001: { what: 'batches', change: append(second, js('TodoWrite({todos: batches})')) },
  TD002: {
    what: 'status',
    change: append(
      second,
      js('TodoWrite({todos: [{ content: "Phase 1: x", status: "pending" }, {status: "…"}]})'),
    ),
  },
  TD003: {
    what: 'two active',
    change: replace(skill, /("Phase 2: Context Gather","status":)"pending"/, '$1"in_progress"'),
  },
  TD004: { what: 'comma', change: append(first, '```json\n["a",]\n```') },
  CF001: { what: 'short', change: () => {}, surroundings: converted('line\n'.repeat(400)) },
  CF002: { what: 'shorter', change: () => {}, surroundings: converted('line\n'.repeat(45)) },
  CF003: { what: 'lost call', change: () => {}, surroundings: converted('Task({a})\nTask({b})\n') },
  CF004: { what: 'lost block', change: () => {}, surroundings: converted('```bash\nnpm run nothing\n```\n') },
  CF005: [
    { what: 'reworded', change: () => {}, surroundings: converted('A sentence that is nowhere.\n') },
    {
      what: 'strange edit',
      change: () => {},
      surroundings: converted('', [{ kind: 'polished', before: 'a', after: 'b' }]),
    },
  ],
  PL001: { what: 'count', change: plan([{ id: 'T1', implementation: ['a', 'b'] }], { task_count: 3 }) },
  PL002: { what: 'embedded', change: plan([{ id: 'T1' }], { tasks: [] }) },
  PL003: {
    what: 'cycle',
    change: plan([
      { id: 'T1', depends_on: ['T2'] },
      { id: 'T2', depends_on: ['T1'] },
    ]),
  },
  PL004: {
    what: 'vague',
    change: plan([{ id: 'T1', convergence: { criteria: ['Service works correctly'] } }]),
  },
  PL005: { what: 'one step', change: plan([{ id: 'T1', implementation: ['do it'] }]) },
  PL006: {
    what: 'same file',
    change: plan([
      { id: 'T1', files: [{ path: 'src/a.ts' }] },
      { id: 'T2', files: [{ path: 'src/a.ts' }] },
    ]),
  },
  PL007: { what: 'old name', change: plan([{ id: 'T1', acceptance: ['x'] }]) },
  SP001: { what: 'tags', change: replace(skill, '\nallowed-tools', '\ntags: a\nallowed-tools') },
  SP002: {
    what: 'long',
    change: replace(skill, '\nallowed-tools', `\ncompatibility: ${'word '.repeat(120)}end\nallowed-tools`),
  },
  SP003: { what: 'list', change: replace(skill, '\nallowed-tools', '\nmetadata: [a]\nallowed-tools') },
  SZ001: { what: 'body', change: append(skill, longText(1200)) },
  SZ002: { what: 'phase', change: append(first, longText(1200)) },
  SZ003: {
    what: 'sum',
    change: (texts) => {
      for (const file of [first, second, third, fourth]) append(file, longText(1500))(texts);
    },
  },
  SU001: { what: 'no reason', change: append(first, '<!-- lint-disable ST010 -->') },
  SU002: { what: 'no such rule', change: append(first, '<!-- lint-disable ST999 because -->') },
  SU003: { what: 'no effect', change: append(first, '<!-- lint-disable ST010 nothing here -->') },
};

function routerTexts(): Texts {
  return cleanTexts({
    profile: 'router',
    triggers: ['demo:plan', 'demo:run'],
    phases: [
      {
        name: 'Plan',
        description: 'Plan it',
        mode: 'plan',
        triggers: ['demo:plan'],
        outputVariables: ['planPath'],
        handsOverTo: 2,
      },
      {
        name: 'Run',
        description: 'Run it',
        mode: 'run',
        triggers: ['demo:run'],
        agentTypes: ['code-developer'],
      },
    ],
    dataFlow: [],
  });
}

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
