import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { lintTexts } from '../../../test/support/skill-packages.ts';
import { defaultTools } from '../generate/skill-markdown.ts';
import { lintPaths } from '../lint/lint-paths.ts';
import { patternMarks } from '../show.ts';
import { readCommandSet, skillNameOf } from './command-set.ts';
import { type Conversion, convertByExtraction } from './convert.ts';
import { reportFile } from './fidelity.ts';
import { readFlatSkill } from './restructure.ts';

// The shapes of commands and skills that public repositories have, each cut down to what a conversion got wrong.
const fence = '```';
const head = '---\nname: run\ndescription: Runs it\n---\n# Run\n\n';

function convertCommand(body: string, subCommands: Record<string, string> = {}): Conversion {
  const set = readCommandSet(
    'work/run',
    body.startsWith('---') ? body : `${head}${body}`,
    (path) => subCommands[path],
  );
  return convertByExtraction({
    ...set,
    rough: set.config,
    strategy: 'extract',
    tools: defaultTools,
    reportPath: (path) => path,
  });
}

function convertFlat(text: string): Conversion {
  const flat = readFlatSkill(text, 'flat');
  return convertByExtraction({
    ...flat,
    rough: flat.config,
    strategy: 'restructure',
    phaseOf: new Map(),
    tools: defaultTools,
    reportPath: (path) => path,
  });
}

const lint = ({ config, files }: Conversion) => lintTexts(Object.fromEntries(files), config.skillName);
const errorsOf = (made: Conversion) =>
  lint(made).findings.filter(({ severity, inherited }) => severity === 'error' && inherited === undefined);
const skillOf = ({ files }: Conversion) => files.get('SKILL.md') ?? '';
const phasesOf = ({ files }: Conversion) => [...files.keys()].filter((file) => file.startsWith('phases/'));
const countOf = (text: string, line: string) => text.split('\n').filter((other) => other === line).length;

const rawArguments = `### Phase 1: Read\n\n${fence}javascript\nconst [target] = $ARGUMENTS.split(' ')\n${fence}\n\n### Phase 2: Write\n\nWrite it.\n`;

test('S-062 30.3: copied text that breaks a rule is inherited, outside the gate, until it is edited', () => {
  const made = convertCommand(rawArguments);
  const before = lint(made);
  expect(before.gate).toBe('PASS');
  expect(before.findings).toContainEqual(
    expect.objectContaining({ rule: 'HY001', severity: 'warning', inherited: 'work/run.md' }),
  );
  const files = new Map(made.files);
  files.set('phases/01-read.md', (files.get('phases/01-read.md') ?? '').replace('[target]', '[goal]'));
  const after = lintTexts(Object.fromEntries(files), made.config.skillName);
  expect(after.findings.find(({ rule }) => rule === 'HY001')).toMatchObject({ severity: 'error' });
  expect(after.findings.find(({ rule }) => rule === 'HY001')).not.toHaveProperty('inherited');
});

test('S-072 30.3: the report is a file of the package', () => {
  expect(convertCommand(rawArguments).files.get(reportFile)).toContain('"preserved"');
});

const twice = `## Overview\n\n### Phase 1: Read\n\nShort.\n\n### Phase 2: Write\n\nShort too.\n\n## Details\n\n### Phase 1: Read the Sources\n\n${'Long text of the details.\n\n'.repeat(6)}### Phase 2: Write the Report\n\n${'More of the details.\n\n'.repeat(6)}`;

test('S-021: phases in an overview and in the details become each phase once', () => {
  const made = convertCommand(twice);
  expect(phasesOf(made)).toEqual(['phases/01-read-the-sources.md', 'phases/02-write-the-report.md']);
  expect(made.files.get('phases/01-read-the-sources.md')).toContain('Short.');
  expect(errorsOf(made)).toEqual([]);
});

test('S-084: no sentinel counts 0 steps; headings of a phase become its steps, else it has no mark', () => {
  const agent = `${fence}javascript\nTask({ subagent_type: "Explore", prompt: "x" })\n${fence}\n`;
  const bodies = [`${agent}\nEnd.\n`, `## Send\n\n${agent}\n## Collect\n\n${agent}`];
  const marks = bodies.map((body) => {
    const act = `---\nname: act\ndescription: Acts\n---\n# Act\n\n${body}`;
    const made = convertCommand(
      '### Phase 1: Read\n\nRead.\n\n### Phase 2: Act\n\nSkill(skill="work:act")\n',
      {
        'work/act': act,
      },
    );
    const text = made.files.get('phases/02-act.md') ?? '';
    expect(text).not.toMatch(/contains 0 execution steps/);
    const isMarked = /02-act\.md.*🔄/.test(skillOf(made));
    expect(text.includes('COMPACT SENTINEL')).toBe(isMarked);
    return isMarked;
  });
  expect(marks).toEqual([false, true]);
});

const sections = `## Execution Process\n\n${fence}\nPhase 1: Read\n  └─ Output: sessionId\nPhase 2: Write\n  ├─ Input: sessionId\n${fence}\n\n## Data Flow\n\nOwn words on data.\n\n## TodoWrite Pattern\n\nOwn words on lists.\n\n### Phase 9 of nothing\n\nKept.\n\n## Phases\n\n### Phase 1: Read\n\n**After Phase 1**: Update the notes.\n\n${fence}javascript\nEdit("notes.md")\n${fence}\n\nRead.\n\n### Phase 2: Write (only if risk is high)\n\nWrite.\n`;

test('S-050 S-064: SKILL.md has each section once, with Post-Phase Updates and the condition of a phase', () => {
  const made = convertCommand(sections);
  const skill = skillOf(made);
  for (const name of ['Data Flow', 'TodoWrite Pattern', 'Execution Flow', 'Post-Phase Updates', 'Core Rules'])
    expect(countOf(skill, `## ${name}`), name).toBe(1);
  expect(skill).toContain('Own words on data.');
  expect(skill.slice(skill.indexOf('## Post-Phase Updates'))).toContain('Edit("notes.md")');
  expect(made.files.get('phases/01-read.md')).not.toContain('Edit("notes.md")');
  const flow = skill.slice(
    skill.indexOf('## Execution Flow'),
    skill.indexOf('### Phase Reference Documents'),
  );
  expect(flow).toContain('Runs when: risk is high');
  expect(errorsOf(made)).toEqual([]);
});

const flowOf = (made: Conversion) =>
  [...skillOf(made).matchAll(/^(?:Phase \d+: .*|.*(?:Runs when|Condition): .*)$/gm)].map(([line]) =>
    line.trim(),
  );
const twoPhases = (flow: string, note: string) =>
  convertCommand(
    `## Execution Flow Diagram\n\n${fence}\n├─ Phase 1: Read\n│  └─ Decision:\n│     ├─ count=0 → ERROR\n│     └─ count>1 → ask\n│\n├─ Phase 2: Write\n${flow}\n${fence}\n\n## Phases\n\n### Phase 1: Read\n\nRead.\n\n### Phase 2: Write${note}\n\nWrite.\n`,
  );

test('S-014: a comparison inside a phase that always runs does not become its condition', () => {
  expect(flowOf(twoPhases('│  └─ Write it', ''))).toEqual(['Phase 1: Read', 'Phase 2: Write']);
});

test('S-014: a vague note takes its condition from the flow, or from the words below the heading', () => {
  const conditions = (flow: string, note: string) => flowOf(twoPhases(flow, note))[2];
  expect(conditions('│  IF risk ≥ medium:\n│  ELSE:\n│  └─ Skip to Phase 3', ' (Optional - by risk)')).toBe(
    '├─ Runs when: risk ≥ medium',
  );
  const decided =
    '│  └─ Decision (source):\n│     ├─ code | hybrid → Execute it\n│     └─ visual → Skip to Phase 3';
  expect(conditions(decided, ' (Conditional)')).toBe('├─ Runs when: source: code or hybrid');
  expect(conditions('│', ' (Optional)\n\n**Trigger**: Only execute when the risk is high')).toBe(
    '├─ Runs when: the risk is high',
  );
  expect(conditions('│', ' (Skip if Already Written)')).toBe('├─ Runs when: unless Already Written');
  expect(conditions('│', ' (skipped when headless)')).toBe('├─ Runs when: unless headless');
  expect(conditions('│', ' (only with --apply)')).toBe('├─ Runs when: with --apply');
  expect(conditions('│', ' (Read-only)')).toBeUndefined();
});

test('S-050: a flow around the phases, a flow summary and a list structure stay in the sections of their kind', () => {
  const made = convertCommand(
    `## Execution Flow Summary\n\nIn short.\n\n## TodoWrite Structure\n\nOwn list.\n\n## Error Handling & Recovery\n\nTry again.\n\n## Execution Process\n\nOwn flow.\n\n### Phase 1: Read\n\nRead.\n\n### Phase 2: Write\n\nWrite.\n\n### At the end\n\nSay so.\n`,
  );
  const titles = skillOf(made)
    .split('\n')
    .filter((line) => line.startsWith('## '));
  expect(titles.filter((title) => /flow|process|todowrite|error/i.test(title))).toEqual([
    '## Execution Flow',
    '## Input Processing',
    '## Data Flow',
    '## TodoWrite Pattern',
    '## Error Handling',
  ]);
  expect(skillOf(made)).toMatch(
    /### Original Execution Flow\n\nIn short\.\n\nOwn flow\.\n\n### At the end\n\nSay so\./,
  );
});

test('S-032: an input that an earlier phase outputs is an edge of the data flow', () => {
  expect(convertCommand(sections).config.dataFlow).toContainEqual(
    expect.objectContaining({ from: 'phase1', to: 'phase2', variables: ['sessionId'] }),
  );
});

test('S-040: a name gets each group once, also the last of nested ones', () => {
  expect(skillNameOf('workflow/brainstorm/artifacts', 'brainstorm-artifacts', undefined)).toBe(
    'workflow-brainstorm-artifacts',
  );
  expect(skillNameOf('workflow/ui-design/layout', 'workflow:ui-design:layout', undefined)).toBe(
    'workflow-ui-design-layout',
  );
});

test('S-042: examples stay a list', () => {
  const made = convertCommand(
    '---\nname: run\ndescription: Runs it\nexamples:\n  - /work:run one\n  - /work:run two\n---\n# Run\n\nDo it.\n',
  );
  expect(skillOf(made)).toContain('- `/work:run one`\n- `/work:run two`');
});

test('S-016 S-066: preferences of a flat skill stay in SKILL.md and are not a phase', () => {
  const ask = `${fence}javascript\nconst answers = AskUserQuestion({ questions: [] })\nworkflowPreferences = { autoYes: answers.auto === 'Auto', deep: true }\n${fence}\n`;
  const made = convertFlat(
    `---\nname: flat\ndescription: Does it. Triggers on "flat".\nallowed-tools: Read\n---\n# Flat\n\n## Phase 0: Preferences\n\n${ask}\n## Phase 1: Read\n\nif (workflowPreferences.deep) read all.\n\n## Phase 2: Write\n\nif (workflowPreferences.autoYes) write.\n`,
  );
  expect(phasesOf(made)).toEqual(['phases/01-read.md', 'phases/02-write.md']);
  expect(skillOf(made)).toContain("autoYes: answers.auto === 'Auto', deep: true");
  expect(countOf(skillOf(made), '## Interactive Preference Collection')).toBe(1);
  expect(lint(made).findings.map(({ rule }) => rule)).not.toContain('PR001');
});

test('S-016: preferences that a flat skill only initialises stay in SKILL.md, and a note is not part of a phase name', () => {
  const set = `${fence}javascript\nif (workflowPreferences === undefined) workflowPreferences = { autoYes: false }\n${fence}\n`;
  const made = convertFlat(
    `---\nname: flat\ndescription: Does it. Triggers on "flat".\nallowed-tools: Read\n---\n# Flat\n\n## 5. LP-Phase 0: Workflow Preferences Initialization\n\n${set}\n## 6. LP-Phase 1: Read\n\nRead.\n\n## 7. LP-Phase 2: Ask (Optional, Multi-Round)\n\nif (workflowPreferences.autoYes) skip.\n`,
  );
  expect(phasesOf(made)).toEqual(['phases/01-read.md', 'phases/02-ask.md']);
  expect(countOf(skillOf(made), '## Interactive Preference Collection')).toBe(1);
  expect(skillOf(made)).toContain('workflowPreferences = { autoYes: false }');
  expect(made.files.get('phases/02-ask.md')).toContain('(Optional, Multi-Round)');
  expect(lint(made).findings.map(({ rule }) => rule)).not.toContain('PR001');
});

test('S-028: tagged blocks of a flat skill stay whole and out of the sections before them', () => {
  const made = convertFlat(
    `---\nname: flat\ndescription: Does it. Triggers on "flat".\nallowed-tools: Read\n---\n<purpose>\nWhat for.\n</purpose>\n\n<process>\n\n## Phase 1: Read\n\nRead.\n\n## Phase 2: Write\n\nWrite.\n\n## Error Handling\n\nTry again.\n\n</process>\n\n<success_criteria>\n- [ ] Done\n</success_criteria>\n`,
  );
  const skill = skillOf(made);
  const errors = skill.slice(skill.indexOf('## Error Handling'), skill.indexOf('## Coordinator Checklist'));
  expect(errors.trim()).toBe('## Error Handling\n\nTry again.');
  expect(skill).toContain('<purpose>\nWhat for.\n</purpose>');
  expect(skill).toContain('<success_criteria>\n- [ ] Done\n</success_criteria>');
  expect(skill).not.toContain('process>');
});

const helper = {
  'work/next': '---\nname: next\ndescription: Next\n---\n# Next\n\nText of the next command.\n',
};

test('30.3: a printed suggestion is not a call and embeds nothing', () => {
  for (const line of ['Next: /work:next', 'console.log("Run /work:next now")', 'echo "→ /work:next"']) {
    const made = convertCommand(
      `### Phase 1: Read\n\nRead.\n\n### Phase 2: Write\n\n${fence}\n${line}\n${fence}\n`,
      helper,
    );
    expect([...made.files.values()].join('\n'), line).not.toContain('Text of the next command.');
  }
});

test('30.3: an indented fence is not lossy, also one that stays open', () => {
  for (const close of ['   ```', ''])
    expect(() =>
      convertCommand(
        `### Phase 1: Read\n\n1. Run it:\n\n   ${fence}bash\n   npm test\n${close}\n\n### Phase 2: Write\n\nWrite.\n`,
      ),
    ).not.toThrow();
});

/** Writes a conversion and its source to a disk, as the command does. */
function written(): { root: string; source: string; made: string; rules: (place: string) => string[] } {
  const root = mkdtempSync(path.join(os.tmpdir(), 'charrette-convert-'));
  const source = path.join(root, 'commands/work/run.md');
  mkdirSync(path.dirname(source), { recursive: true });
  const rows = Array.from({ length: 40 }, (_, index) => `| ${index % 3} | same |`).join('\n');
  const text = `${head}### Phase 1: Read\n\n| a | b |\n|---|---|\n${rows}\n\nAgain.\n\nAgain.\n\n### Phase 2: Write\n\nWrite.\n`;
  writeFileSync(source, text);
  const set = readCommandSet('work/run', text, () => undefined);
  const made = path.join(root, 'skills/work-run');
  const { files } = convertByExtraction({
    ...set,
    rough: set.config,
    strategy: 'extract',
    tools: defaultTools,
    reportPath: (file) => path.relative(made, path.join(root, 'commands', file)),
  });
  mkdirSync(path.join(made, 'phases'), { recursive: true });
  for (const [file, content] of files) writeFileSync(path.join(made, file), content);
  const rules = (place: string) =>
    lintPaths({ paths: [place], roots: [], cwd: root }).packages.flatMap(({ findings }) =>
      findings.map(({ rule }) => rule),
    );
  return { root, source, made, rules };
}

test('S-069: lint and convert compare alike, so repeated lines and rows that were kept are not lost', () => {
  const { made, rules } = written();
  expect(rules(made).filter((rule) => rule.startsWith('CF'))).toEqual([]);
});

test('S-093: a moved package says that its sources are out of reach, and half a phase missing is a finding', () => {
  const { root, made, rules } = written();
  const moved = path.join(root, 'elsewhere/deep/work-run');
  cpSync(made, moved, { recursive: true });
  rmSync(path.join(root, 'commands'), { recursive: true });
  expect(rules(moved)).toContain('CF006');
  expect(rules(moved)).not.toContain('CF001');
  const file = path.join(moved, 'phases/01-read.md');
  const lines = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, lines.filter((line) => !/^\| [012] \|/.test(line)).join('\n'));
  expect(rules(moved)).toContain('CF001');
});

test('30.3: the summary marks no data flow that only comes from the input, and no clean phases with findings', () => {
  const made = convertCommand(rawArguments);
  const marks = new Map(
    patternMarks(made.config, lint(made).findings).map(({ pattern, used }) => [pattern, used]),
  );
  expect(marks.get('Data flow between phases')).toBe(false);
  expect(marks.get('Clean phase files')).toBe(false);
});

test('FM004: a description that is too long keeps its sentences and its trigger; SKILL.md opens with the whole text', () => {
  const long = `First sentence. ${'A further sentence that says more. '.repeat(40)}Last sentence.`;
  const made = convertFlat(
    `---\nname: flat\ndescription: ${long}\n---\n# Flat\n\n## Phase 1: Read\n\nRead.\n\n## Phase 2: Write\n\nWrite.\n`,
  );
  const description = /^description: "?(.*?)"?$/m.exec(skillOf(made))?.[1] ?? '';
  expect(description.replaceAll('\\"', '"')).toMatch(/^First sentence\. .*says more\. Triggers on "flat"\.$/);
  expect(skillOf(made)).toContain(`# Flat\n\n${long}`);
  expect(made.report?.diagnostics.join()).toContain('longer than 1024 characters');
  expect(errorsOf(made)).toEqual([]);
});

test('SC004: modes that lead to no phase document do not make a router', () => {
  const made = convertFlat(
    '---\nname: flat\ndescription: Acts. Triggers on "flat".\n---\n# Flat\n\n## Mode Detection & Routing\n\nShort texts are quick.\n\n## Phase 1: Read\n\nRead.\n\n## Phase 2: Write\n\nWrite.\n',
  );
  expect(lint(made).profile).toBe('pipeline');
  const skill = skillOf(made);
  expect(skill.slice(skill.indexOf('## Input Processing'), skill.indexOf('## Data Flow'))).toContain(
    'Short texts are quick.',
  );
  expect(errorsOf(made)).toEqual([]);
});

test('S-069: a call that is removed from the text does not count as lost from a fence that shows it too', () => {
  const made = convertCommand(
    `### Phase 1: Read\n\n${fence}bash\n/work:run now\nnpm test\n${fence}\n\n/work:run now\n\nRead.\n\n### Phase 2: Write\n\nWrite.\n`,
  );
  const phase = made.files.get('phases/01-read.md') ?? '';
  expect(countOf(phase, '/work:run now')).toBe(1);
  expect(phase).toContain(`${fence}bash\n/work:run now\nnpm test\n${fence}`);
  expect(lint(made).findings.filter(({ rule }) => rule === 'CF005' || rule === 'CF004')).toEqual([]);
});
