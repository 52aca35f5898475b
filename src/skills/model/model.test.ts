import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocument } from '../../base/markdown/parse.ts';
import { readTodoSamples } from '../rules/todo.ts';
import { readCompactMarks } from './compact.ts';
import { conditionVariables, evaluateCondition, parseCondition } from './condition.ts';
import { readDataFlow, readNames } from './data-flow.ts';
import { fieldText, readFrontmatter } from './frontmatter.ts';
import { ownNames, readTriggers, splitTools } from './identity.ts';
import { readSteps } from './phase-file.ts';
import { readPhaseTable } from './phase-table.ts';
import { readPreferencePaths, readPreferenceUses, readQuestionCalls } from './preferences.ts';

const parse = (text: string) => parseDocument('SKILL.md', text);
const front = (yaml: string) => readFrontmatter(parse(`---\n${yaml}\n---\n# T\n`));

test('S-084 T-04 steps are headings of the shallowest level; variants count, sub-steps, bold and fenced ones do not', () => {
  const text = [
    '# Phase 4: X',
    '## Execution',
    '### Step 4.0: a',
    '### Step 4.1: b',
    '### Step 4.2A: c',
    '### Step 4.2B: d',
    '#### Step 4.2.1: sub',
    '**Step 9: bold**',
    '### TodoWrite Update',
    '### Step 4.3: e',
    '```',
    '### Step 4.9: fenced',
    '```',
    '### Step 4.4: f',
  ].join('\n');
  expect(readSteps(parse(text)).map(({ id }) => id)).toEqual(['4.0', '4.1', '4.2A', '4.2B', '4.3', '4.4']);
});

test('S-084 2.1 to 2.4 with 2.2b are five steps', () => {
  const text = ['2.1', '2.2', '2.2b', '2.3', '2.4'].map((id) => `## Step ${id}: x`).join('\n\n');
  expect(readSteps(parse(text))).toHaveLength(5);
});

test('S-083 a sentinel is read with and without emoji, with any dash', () => {
  for (const dash of ['—', '–', '--', '-']) {
    const text = `# Phase 2: Run\n\n> **COMPACT SENTINEL [Phase 2: Run]**\n> This phase contains 5 execution steps (Step 2.1 ${dash} 2.4).\n> words\n> Recovery: \`Read("phases/02-run.md")\`\n`;
    expect(readCompactMarks(parse(text)).sentinel).toMatchObject({
      phase: '2',
      count: 5,
      first: '2.1',
      last: '2.4',
      recovery: 'phases/02-run.md',
    });
  }
});

test('S-045 T-07 frontmatter that is not YAML is read line by line, with the problem reported', () => {
  const read = front(
    'name: start\nargument-hint: [--type <a|b>] [--auto|--new] "task"\ndescription: Plan: build it',
  );
  expect(read.problem).toBeDefined();
  expect(fieldText(read, 'name')).toBe('start');
  expect(fieldText(read, 'description')).toBe('Plan: build it');
  expect(read.unquoted.map(({ key }) => key)).toEqual(['argument-hint', 'description']);
});

test('S-045 valid YAML of every common form is read strictly', () => {
  expect(fieldText(front('name: "a"\ndescription: |-\n  two\n  lines'), 'description')).toBe('two\nlines');
  expect(fieldText(front("name: 'x'\nallowed-tools:\n  - Read\n  - Bash"), 'allowed-tools')).toBe(
    'Read, Bash',
  );
  expect(readFrontmatter(parse('\uFEFF---\r\nname: a\r\n---\r\n')).fields.get('name')?.value).toBe('a');
  expect(readFrontmatter(parse('---\nname: a\n# T\n')).state).toBe('unclosed');
  expect(readFrontmatter(parse('# T\n')).state).toBe('absent');
});

test('S-043 tools split at commas and blanks but not inside parentheses', () => {
  expect(splitTools('Read(*), Bash(git add:*, git commit:*) Task')).toEqual([
    'Read(*)',
    'Bash(git add:*, git commit:*)',
    'Task',
  ]);
});

test('S-041 triggers are the quoted phrases of the trigger clause', () => {
  expect(readTriggers('Says "hello". Triggers on "workflow:plan", "plan it".')).toEqual([
    'workflow:plan',
    'plan it',
  ]);
  expect(readTriggers('Says "hello".')).toEqual([]);
});

test('HY002 own names cover hyphen and colon forms', () => {
  expect(ownNames('workflow-lite-plan', ['workflow:lite-execute'])).toEqual(
    expect.arrayContaining([
      'workflow-lite-plan',
      'workflow:lite-plan',
      'workflow:lite-execute',
      'workflow-lite-execute',
    ]),
  );
});

function holds(text: string, values: Record<string, unknown>): boolean {
  const reading = parseCondition(text);
  if (!reading.ok) throw new Error(reading.message);
  return evaluateCondition(reading.condition, (path) => values[path]);
}

test('S-035 T-09 levels compare by their order', () => {
  expect(holds('conflictRisk >= medium', { conflictRisk: 'high' })).toBe(true);
  expect(holds('conflictRisk >= medium', { conflictRisk: 'none' })).toBe(false);
  expect(holds('conflictRisk >= "medium"', { conflictRisk: 'critical' })).toBe(true);
  expect(holds('count > 9', { count: 10 })).toBe(true);
  expect(holds('a && !(b || c == "x")', { a: true, b: false, c: 'y' })).toBe(true);
  expect(holds('risk ≥ low and not done', { risk: 'low', done: false })).toBe(true);
});

test('S-035 the word not denies a whole comparison, the mark ! only the operand next to it', () => {
  const values = { a: 'x', b: 'y', done: false };
  expect(holds('not a == "x"', values)).toBe(false);
  expect(holds('not a == "y"', values)).toBe(true);
  expect(holds('NOT a == b and not done', values)).toBe(true);
  expect(holds('a is not "y"', values)).toBe(true);
  expect(holds('a is not "x"', values)).toBe(false);
  expect(holds('!done == true', values)).toBe(true);
  expect(parseCondition('not '.repeat(100_000))).toMatchObject({ ok: false });
});

test('S-094 every variable of a condition is found, not only its first word', () => {
  const reading = parseCondition('"high" === risk || autoYes && plan.size > 3');
  expect(reading.ok && conditionVariables(reading.condition)).toEqual(['risk', 'autoYes', 'plan.size']);
});

test('a condition that is none is refused with a place, and no text makes the parser throw', () => {
  expect(parseCondition('a >=')).toMatchObject({ ok: false });
  expect(parseCondition('a b')).toMatchObject({ ok: false, at: 1 });
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('(', ')', '!', 'a', '1', '"', ' ', '&&', '>=', '\n') }),
      (text) => {
        parseCondition(text);
      },
    ),
  );
});

test('S-032 data flow edges from arrows and tables, inputs and outputs from the flow', () => {
  const flow = readDataFlow(
    parse(
      '## Data Flow\n\n| From | To | Variables |\n|---|---|---|\n| input | Phase 1 | `task` |\n| Phase 1 | Phase 2 | `sessionId`, `plan.json` |\n\n```\nphase3 → phase4: resolvedArtifacts\nPhase 2: Gather\n  ↓ Output: contextPath (why) + conflict_risk\n```\n',
    ),
  );
  expect(flow.edges.map(({ from, to, variables }) => [from, to, variables])).toEqual([
    [3, 4, ['resolvedArtifacts']],
    ['input', 1, ['task']],
    [1, 2, ['sessionId', 'plan.json']],
  ]);
  expect(flow.outputs.map(({ phase, name }) => [phase, name])).toEqual([
    [2, 'contextPath'],
    [2, 'conflict_risk'],
  ]);
  expect(readNames('Validated skill package')).toEqual([]);
});

test('S-081 the phase table keys on 🔄 or the word sentinel', () => {
  const table = readPhaseTable(
    parse(
      '| Phase | Document | Purpose | Compact |\n|---|---|---|---|\n| 1 | [phases/01-a.md](phases/01-a.md) | A | TodoWrite 驱动 |\n| 2 | phases/02-b.md | B | TodoWrite 驱动 + 🔄 sentinel |\n',
    ),
  );
  expect(table?.rows.map(({ number, target, guarded }) => [number, target, guarded])).toEqual([
    [1, 'phases/01-a.md', false],
    [2, 'phases/02-b.md', true],
  ]);
});

test('PR001 PR004 preference objects and questions are read from code', () => {
  const text =
    "```js\nworkflowPreferences = { autoYes: r.mode === 'Auto', nested: { inner: 1 }, flag }\nconst r = AskUserQuestion({ questions: [{ question: 'Skip?', header: 'Auto Mode', options: [{ label: 'Yes (Recommended)' }, { label: 'No' }] }] })\n```\n";
  expect(readPreferencePaths(parse(text))[0]?.keys).toEqual(['autoYes', 'nested', 'flag']);
  expect(readQuestionCalls(parse(text))[0]).toMatchObject({
    variable: 'r',
    questions: [{ header: 'Auto Mode', labels: ['Yes (Recommended)', 'No'] }],
  });
});

test('PR001 a lookup with a default does not count as a use of a key named get', () => {
  const text =
    '```python\nstyle = workflowPreferences.get("style", "plain")\nworkflowPreferences.depth\n```\n';
  expect(readPreferenceUses(parse(text)).reads.map(({ key }) => key)).toEqual(['depth']);
});

test('TD001 todo samples: literal lists, expressions and bare JSON', () => {
  const text =
    '```js\nTodoWrite({ todos: calls.map(c => ({ status: "pending" })) })\nTodoWrite({ todos: [{ content: "Phase 1: x", status: "in_progress" }] })\n```\n';
  const samples = readTodoSamples(parse(text));
  expect(samples[0]?.expression).toContain('calls.map');
  expect(samples[1]?.items).toMatchObject([{ content: 'Phase 1: x', status: 'in_progress' }]);
});

// The limit is for a pattern that looks again from every quote.
test('thousands of quotes in a list of tools are passed once', { timeout: 10_000 }, () => {
  expect(splitTools(`"Read", 'Task' - ${'"'.repeat(200_000)}x`)).toEqual(['Read', 'Task', 'x']);
});
