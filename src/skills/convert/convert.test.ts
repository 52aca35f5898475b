import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lintTexts } from '../../../test/support/skill-packages.ts';
import { completeConfig } from '../config/complete-config.ts';
import { defaultTools } from '../generate/skill-markdown.ts';
import { convertTools, readCommandSet, skillNameOf } from './command-set.ts';
import { type ConversionReport, convertByExtraction, convertByGeneration } from './convert.ts';
import { blocksOf, compareBodies, measure } from './fidelity.ts';
import { configFromText, detectSource, draftConfig, phasesInText } from './from-text.ts';
import { readRequirementsJson, readRequirementsMarkdown } from './requirements-doc.ts';
import { readFlatSkill } from './restructure.ts';
import { preferenceKey, sanitise } from './sanitise.ts';

const fence = '```';
const gather = `---\nname: gather\ndescription: Collects the context\nargument-hint: [--session <id>] [--auto|--new]\n---\n\n## Auto Mode\n\ntext before the title\n\n# Gather Command\n\n${fence}bash\n# a shell comment\nnpm test\n${fence}\n\n${fence}javascript\nconst auto = $ARGUMENTS.includes('--yes') || $ARGUMENTS.includes('-y')\nconst dry = $ARGUMENTS.includes('--dry-run')\nTask({ subagent_type: "Explore", prompt: "keep me" })\nSkill(skill="work:finish")\n${fence}\n\n**Source**: Converted from commands/old.md\n\n- /work:run "a task"\n\n| a | b |\n|---|---|\n| 1 | 2 |\n`;
const finish =
  '---\nname: finish\ndescription: Writes the report\n---\n# Finish\n\n### Step 1: Write\n\nWrite it.\n';
const orchestrator = `---\nname: run\ndescription: "Runs the work: all of it"\nallowed-tools: Skill(*), Task(ui-agent), Read(*), mcp__x__y(*)\n---\n# Run\n\n## Core Rules\n\n1. Own rule.\n\n## Execution\n\n### Phase 1: Gather\n\n${fence}javascript\nSkill(skill="work:gather", args="x")\n${fence}\n\n### Phase 2: Think\n\nThink hard, no command.\n\n### Phase 3: Finish\n\nSkill(skill='work:finish')\nSkill(skill="other:status")\nSkill(skill="compact")\n`;
const commands: Record<string, string> = { 'work/gather': gather, 'work/finish': finish };

const convertSet = () => {
  const set = readCommandSet('work/run', orchestrator, (path) => commands[path]);
  return {
    set,
    made: convertByExtraction({
      ...set,
      rough: set.config,
      strategy: 'extract',
      tools: defaultTools,
      reportPath: (path) => path,
    }),
  };
};

test('S-020 a source is recognised by its path, commands and skills before documents', () => {
  const cases = [
    ['.claude/commands/workflow/plan.md', 'file', 'command_set'],
    ['C:\\repo\\.claude\\commands\\plan.md', 'none', 'command_set'],
    ['.claude/skills/x', 'directory', 'existing_skill'],
    ['~/.claude/skills/x/SKILL.md', 'file', 'existing_skill'],
    ['docs/requirements.md', 'file', 'requirements_doc'],
    ['flow.json', 'file', 'requirements_doc'],
    ['Create a 3-phase review workflow', 'none', 'text_description'],
    ['Update README.md', 'none', 'text_description'],
  ] as const;
  for (const [input, kind, expected] of cases) expect(detectSource(input, kind), input).toBe(expected);
});

test('S-040 names take the group of the path, never twice', () => {
  expect(skillNameOf('workflow/lite-plan', 'lite-plan', undefined)).toBe('workflow-lite-plan');
  expect(skillNameOf('workflow/session/start', 'start', undefined)).toBe('workflow-session-start');
  expect(skillNameOf('workflow/plan', 'workflow-plan', 'workflow')).toBe('workflow-plan');
  expect(skillNameOf('version', undefined, undefined)).toBe('version');
});

test('S-043 any wildcard goes, scopes are noted, the base set is added once', () => {
  const notes: string[] = [];
  expect(
    convertTools(['AskUserQuestion(*)', 'mcp__x__y(*)', 'Task(ui-agent)', 'Task'], notes).slice(0, 3),
  ).toEqual(['AskUserQuestion', 'mcp__x__y', 'Task']);
  expect(notes).toHaveLength(1);
});

test('S-024 what a heading says in brackets about its phase stays in the phase', () => {
  const text =
    '# Run\n\n## Phase 1: Gather (Optional, when the risk is high)\n\nSlashCommand(command="/work:gather --session [id]")\n\n## Phase 2: Finish (always)\n';
  const set = readCommandSet('work/run', text, (path) => commands[path]);
  const { files } = convertByExtraction({
    ...set,
    rough: set.config,
    strategy: 'extract',
    tools: defaultTools,
    reportPath: (path) => path,
  });
  expect(files.get('phases/01-gather.md')).toContain(
    '## Coordination\n\n(Optional, when the risk is high)\n\n/* run work:gather, below --session [id] */\n',
  );
  expect(files.get('phases/02-finish.md')).toContain('\n\n(always)\n\n');
});

test('S-022 S-023 calls are found and classified; only phase calls become phases', () => {
  const { set } = convertSet();
  expect(set.calls.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    'work:gather phase',
    'work:finish phase',
    'other:status terminal',
    'compact built-in',
  ]);
  expect(set.config.phases.map(({ name }) => name)).toEqual(['Gather', 'Think', 'Finish']);
});

test('S-060 S-062 S-063 S-065 S-069 bodies are kept, edits are recorded one by one and explain every difference', () => {
  const { made } = convertSet();
  const text = made.files.get('phases/01-gather.md') ?? '';
  expect(text).toContain('const auto = workflowPreferences.autoYes\n');
  expect(text).toContain('const dry = workflowPreferences.dryRun');
  expect(text).toContain('Read("phases/03-finish.md")');
  expect(text).toContain('# a shell comment');
  expect(text).not.toMatch(/Converted from|\/work:run|# Gather Command/);
  expect(made.report?.phases[0]?.edits.map(({ kind }) => kind).sort()).toEqual([
    'argument-access',
    'argument-access',
    'invocation-removed',
    'provenance-removed',
    'self-routing',
    'self-routing',
    'title-removed',
  ]);
  expect(made.report?.phases[0]?.ratio).toBeGreaterThan(0.9);
});

test('S-021 S-024 S-041 S-042 S-053 S-066 frontmatter, hint, own sections and new preferences arrive in SKILL.md', () => {
  const { made } = convertSet();
  const skill = made.files.get('SKILL.md') ?? '';
  expect(skill).toContain('name: work-run');
  expect(skill).toContain('1. Own rule.');
  expect(skill).toContain('dryRun');
  expect(skill).not.toMatch(/argument-hint|\(\*\)/);
  expect(
    lintTexts(Object.fromEntries(made.files), 'work-run').findings.filter(
      ({ severity }) => severity === 'error',
    ),
  ).toEqual([]);
});

test('S-022 a sub-command that is not there is a diagnostic, not a crash', () => {
  const set = readCommandSet('work/run', orchestrator, () => undefined);
  expect(set.diagnostics.filter((text) => text.includes('does not exist'))).toHaveLength(2);
  expect(set.config.phases).toHaveLength(3);
});

test('S-070 CF005 text that would be lost stops the conversion', () => {
  expect(compareBodies('one\ntwo\n', 'one\n', []).lostLines.map(({ text }) => text)).toEqual(['two']);
  expect(compareBodies('a\n```\nx\n```\n', 'a\n```\ny\n```\n', []).lostBlocks).toHaveLength(1);
  expect(compareBodies('drop me\nkeep\n', 'keep\n', [{ before: 'drop me\n', after: '' }]).lostLines).toEqual(
    [],
  );
});

test('S-068 measures count fences, calls, shell blocks, rows and questions', () => {
  expect(measure(gather)).toMatchObject({ fences: 2, agentCalls: 1, shellBlocks: 1, tableRows: 1 });
  expect(blocksOf(gather).map(({ kind }) => kind)).toEqual(['fence', 'fence', 'table']);
});

test('S-065 flags become valid keys', () => {
  expect([preferenceKey('--yes'), preferenceKey('-e'), preferenceKey('--dry-run')]).toEqual([
    'autoYes',
    'forceExplore',
    'dryRun',
  ]);
  const done = sanitise(
    "x = $ARGUMENTS.includes('-y') || $ARGUMENTS.includes('--yes') || $ARGUMENTS.includes('--auto')",
    { ownNames: [], phaseOf: () => undefined },
  );
  expect(done.text).toBe('x = workflowPreferences.autoYes');
});

test('S-027 a Markdown requirements document becomes a clean package', () => {
  const rough = readRequirementsMarkdown(
    '# Release Check\n\nChecks a release before it goes out.\n\nTriggers: "release check"\n\n## 1. Collect\n\nFind what changed.\n\n- Outputs: `changes`, `changes.json`\n\n## Phase 2: Judge\n\nJudge the risk.\n\n- Agents: general-purpose\n- Inputs: changes\n- Outputs: risk\n- Tasks: read, weigh\n\n## Report\n\nWrite it down.\n\n- Condition: risk >= medium\n- Inputs: risk\n',
    'fallback',
  );
  const { config, files } = convertByGeneration(rough, defaultTools);
  expect(config).toMatchObject({ skillName: 'release-check', triggers: ['release check'] });
  expect(config.phases.map(({ name, condition }) => [name, condition])).toEqual([
    ['Collect', undefined],
    ['Judge', undefined],
    ['Report', 'risk >= medium'],
  ]);
  expect(config.dataFlow.map(({ from, to, variables }) => `${from} ${to} ${variables.join()}`)).toEqual(
    expect.arrayContaining(['phase1 phase2 changes', 'phase2 phase3 risk']),
  );
  expect(
    lintTexts(Object.fromEntries(files), 'release-check').findings.filter(
      ({ severity }) => severity !== 'info',
    ),
  ).toEqual([]);
});

test('S-027 S-031 the same as JSON, unknown keys kept', () => {
  const rough = readRequirementsJson(
    {
      name: 'json-flow',
      owner: 'team',
      phases: [
        { name: 'A', outputs: ['x'] },
        { name: 'B', inputs: 'x', agents: ['Explore'] },
      ],
    },
    'f',
  );
  expect(completeConfig(rough).config).toMatchObject({
    skillName: 'json-flow',
    owner: 'team',
    phases: [{ outputVariables: ['x'] }, { agentTypes: ['Explore'] }],
  });
  expect(() => readRequirementsJson({ nothing: 1 }, 'f')).toThrow(/phases/);
});

test('S-026 phases that a text enumerates are taken from it', () => {
  expect(
    phasesInText('First collect the logs, then find the cause, finally write a report.').map(
      ({ name }) => name,
    ),
  ).toEqual(['Collect the logs', 'Find the cause', 'Write a report']);
  expect(
    phasesInText('Do:\n1. Collect: all logs\n2. Report\n').map(({ name, description }) => [
      name,
      description,
    ]),
  ).toEqual([
    ['Collect', 'all logs'],
    ['Report', 'Report'],
  ]);
  expect(configFromText('Create a 3-phase code review workflow', 'code-review').phases).toHaveLength(3);
});

test('S-025 an agent drafts the configuration; what it writes is completed and checked', async () => {
  const rough = await draftConfig('Review code', 'review-code', async ({ prompt, schema }) => {
    expect(prompt).toContain('<<<DESCRIPTION\nReview code\nDESCRIPTION>>>');
    expect(schema).toMatchObject({ type: 'object' });
    return {
      description: 'Reviews code',
      phases: [{ name: 'Read', outputVariables: ['findings'] }, { name: 'Report' }],
      dataFlow: [{ from: 'phase1', to: 'phase2', variables: ['findings'] }],
    };
  });
  expect(completeConfig(rough).config).toMatchObject({
    skillName: 'review-code',
    description: 'Reviews code',
    phases: [{ number: 1 }, { number: 2 }],
  });
  await expect(draftConfig('x', 'x', async () => ({ phases: [] }))).rejects.toThrow(/no phases/);
});

test('S-028 a flat skill is split at its phase headings, text moved verbatim', () => {
  const flat = `---\nname: flat-skill\ndescription: Does it. Triggers on "flat".\nallowed-tools: Read\n---\n# Flat\n\nIntro.\n\n## Notes\n\nKept note.\n\n## 6. LP-Phase 1: Explore\n\n${fence}bash\nls\n${fence}\n\n## 7. LP-Phase 2: Plan\n\nPlan it with care.\n`;
  const read = readFlatSkill(flat, 'flat-skill');
  const made = convertByExtraction({
    ...read,
    rough: read.config,
    strategy: 'restructure',
    phaseOf: new Map(),
    tools: defaultTools,
    reportPath: () => 'SKILL.md',
  });
  expect([...made.files.keys()]).toEqual([
    'SKILL.md',
    'phases/01-explore.md',
    'phases/02-plan.md',
    'conversion-report.json',
  ]);
  expect(made.files.get('phases/02-plan.md')).toContain('Plan it with care.');
  expect(made.files.get('SKILL.md')).toContain('Kept note.');
  expect(
    lintTexts(Object.fromEntries(made.files), 'flat-skill').findings.filter(
      ({ severity }) => severity === 'error',
    ),
  ).toEqual([]);
  expect(() => readFlatSkill('# Nothing\n', 'x')).toThrow(/no phase headings/);
});

// The limit catches quadratic readers: those take minutes, one pass takes milliseconds.
test.each([
  ['phases', '## Phase 1: a\n- Inputs: b\n- Outputs: c\n'],
  ['open blocks', '<process>\n'],
  ['open links', '# a\n## ['],
  ['half links', '# a\n## x\n[]('],
  ['continued values', '---\nname: a\n b\n'],
])('thousands of %s are read or refused in one pass', { timeout: 20_000 }, (_, piece) => {
  const text =
    piece.slice(0, piece.lastIndexOf('\n', piece.length - 2) + 1) +
    piece.split('\n').slice(-2).join('\n').repeat(60_000);
  for (const whole of [text, piece.repeat(10_000)]) {
    for (const read of [
      () => readFlatSkill(whole, 'a'),
      () => readCommandSet('a/b.md', whole, () => undefined),
      () => completeConfig(readRequirementsMarkdown(whole, 'a')),
      () => completeConfig(configFromText(whole, undefined)),
    ]) {
      try {
        expect(read()).toBeDefined();
      } catch (error) {
        expect(error).toMatchObject({ name: 'CharretteError', code: 'usage' });
      }
    }
  }
});

test('a workflow with thousands of phases is refused by their number', () => {
  expect(() => readRequirementsMarkdown('## a\n'.repeat(5000), 'a')).toThrow(/5000 phases/);
  expect(() => readFlatSkill('## Phase 1: a\n'.repeat(5000), 'a')).toThrow(/5000 phases/);
});

test('blocks of a process end at the first closing tag at the beginning of a line', () => {
  const text = '<process a>\none </process>\n</process>\nbetween\n<process>\n</process>\n<process>\nopen';
  expect(readFlatSkill(text, 'a').sources.map(([source]) => source?.body)).toEqual(['one </process>\n', '']);
});

const piece = fc.constantFrom(
  '# Title',
  '# Part',
  '## Core Rules',
  '## Error Handling',
  '## Related Skills',
  '## Data Flow',
  '## Notes',
  '### Rules',
  '## Phase 1: One',
  '## Phase 2: Two',
  '### Phase 3: Three',
  'Plain words.',
  '- an item',
  '> a quote',
  '<!-- a remark -->',
  '| a | b |\n|---|---|\n| 1 | 2 |',
  `${fence}bash\n# no title\nls\n${fence}`,
  `${fence}js\nSkill(skill="work:gather", args="-x")\n${fence}`,
  'Then Skill(skill="work:gather") and Skill(skill="work:finish").',
  "const y = $ARGUMENTS.includes('--dry-run')",
  '/work:run "a task"',
  '',
);

test('S-024 S-064 S-070 loses no line of any command or flat skill, and reports no kept line as lost', () => {
  const shared = { strategy: 'extract', tools: defaultTools, reportPath: (path: string) => path } as const;
  const edits = (report: ConversionReport | undefined) => [
    ...(report?.coordinator.edits ?? []),
    ...(report?.phases ?? []).flatMap((phase) => phase.edits),
  ];
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 24 }), fc.constantFrom('\n', '\n\n', '\r\n'), (pieces, end) => {
      // Every piece of prose is unique, so that a copy cannot replace it.
      const text = pieces
        .map((line, index) => (/^(?:Plain|- an)/.test(line) ? `${line} (${index})` : line))
        .join(end);
      const set = readCommandSet('work/run', text, (path) => commands[path]);
      const made = convertByExtraction({ ...set, ...shared, rough: set.config });
      const whole = [...made.files.values()].join('\n');
      for (const line of text.split(/\r?\n/).filter((words) => /^(?:Plain|- an|> a|<!--|\|)/.test(words)))
        expect(whole).toContain(line);
      expect(edits(made.report).every(({ before, after }) => before !== after)).toBe(true);
      const flat = `## Phase 1: A\n\none\n\n## Phase 2: B\n\ntwo\n\n${text}`;
      const read = readFlatSkill(flat, 'flat');
      convertByExtraction({ ...read, ...shared, rough: read.config, phaseOf: new Map() });
    }),
    { numRuns: 300 },
  );
});

test('S-070 text that no phase and no section takes stops the conversion', () => {
  const set = readCommandSet('work/run', orchestrator, (path) => commands[path]);
  const input = { ...set, rough: set.config, strategy: 'extract' as const, tools: defaultTools };
  const coordinator = { ...set.coordinator, overrides: {} };
  expect(() => convertByExtraction({ ...input, coordinator, reportPath: (path) => path })).toThrow(
    /would lose text: "1\. Own rule\."/,
  );
});
