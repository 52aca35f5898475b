import { expect, test } from 'vitest';
import { parseReferences } from './references.ts';
import { extractSection, indexed, parseTasks, scopeTask, type Task } from './tasks.ts';

const nothing = indexed('');
function task(why: string, field = 'Why'): Task {
  const [first] = parseTasks(`### Task 1.1: Do it\n- **${field}:** ${why}\n- **Done when:** it works\n`);
  if (first === undefined) throw new Error('no task');
  return first;
}
const references = (why: string, field = 'why') =>
  parseReferences([{ field, value: why }]).map(({ artifact, id }) => `${artifact} ${id}`);
function sections(why: string, plan: string, design = '') {
  const scope = scopeTask(task(why), indexed(plan), indexed(design));
  return [scope.plan, scope.design].map((part) => (part.kind === 'sections' ? part.text : part.reason));
}

test('T-055: the strict heading is Task, a number, at level 3 or 4', () => {
  const text = '## Task 1: no\n### Task 1.2: yes\n#### Task 3 also\n##### Task 4: no\n### T5: no\n';
  expect(parseTasks(text, true).map(({ number, title }) => [number, title])).toEqual([
    ['1.2', 'yes'],
    ['3', 'also'],
  ]);
  expect(parseTasks(text).map(({ number }) => number)).toEqual(['1', '1.2', '3', '4', '5']);
});

test('T-056, T-057, T-058: body to the next heading of same or higher rank, first Why or Source, Done when', () => {
  const text = [
    '### Task 1: A',
    '**Source:** Plan 1.1',
    '**Why:** Plan 9.9',
    '#### Note',
    'kept',
    '**Done when:** green',
    '## Next',
    'not kept',
  ].join('\n');
  const [found] = parseTasks(text, true);
  expect(found?.text).toContain('kept');
  expect(found?.text).not.toContain('not kept');
  expect(found?.traces).toEqual([{ field: 'source', value: 'Plan 1.1' }]);
  expect(found?.doneWhen).toBe('green');
});

test('a field in a fence or quoted as code is an example', () => {
  const text = '### Task 1: A\n```\n**Why:** Plan 1.1\n```\nWrite `**Why:** Plan 1.2` into it.\n';
  expect(parseTasks(text)[0]?.traces).toEqual([]);
});

test.each([
  ['Plan 1.1, Design C2', ['plan 1.1', 'design C2']],
  ['Implements Plan Step 1.1 / Design Component C10', ['plan 1.1', 'design C10']],
  [
    'Plan Step 1A.1, Design I7, I8, I9; Spec R2.3, R2.1',
    ['plan 1A.1', 'design I7', 'design I8', 'design I9', 'spec R2.3', 'spec R2.1'],
  ],
  ['Design C2 (classifier) + C3 (actions). Merged because.', ['design C2', 'design C3']],
  ['Plan item 3', ['plan 3']],
  ['Plan 0.1 / TD10, TD11 — numpy must be there, 12 of them', ['plan 0.1', 'design TD10', 'design TD11']],
  ['Plan 2.1 / C2', ['plan 2.1', 'design C2']],
  ['Design enhancements for users', []],
  ['Design Component Resolver', ['design Resolver']],
  ['design C3-C5', ['design C3', 'design C4', 'design C5']],
  ['Core work — replaces the map (plan Task 1.2, design C1)', ['plan 1.2', 'design C1']],
  ['Plan Step 1, items 1-2', ['plan 1']],
  ['', []],
])('T-060, lean/C-14: %s', (why, expected) => {
  expect(references(why)).toEqual(expected);
});

test.each([
  ['Step 1.3 + 1.4', 'plan ref', ['plan 1.3', 'plan 1.4']],
  ['P5 Tests to update rows 2-4, 6', 'plan ref', ['plan P5']],
  ['P2 step 1 (design I5)', 'plan ref', ['plan P2', 'design I5']],
  ['I-1, spec FS-1.3', 'design ref', ['design I-1', 'spec FS-1.3']],
])('a field that names its document: %s', (value, field, expected) => {
  expect(references(value, field)).toEqual(expected);
});

test('lean/C-12, tricky case 1: a section ends at the same or a higher level, subsections stay', () => {
  const design = '## Interfaces\n### I7: Prompt\nbody\n#### note\nkept\n## Risks\ngone\n### I8\n';
  expect(sections('Design I7', '', design)[1]).toBe('### I7: Prompt\nbody\n#### note\nkept');
});

test('tricky case 2: headings in fences neither match nor end a section', () => {
  const plan = '### 1.1 First\n````sh\n### 1.2 not this\n```\n## nor this\n````\ntail\n### 1.2 Real\nyes\n';
  expect(sections('Plan 1.1', plan)[0]).toContain('tail');
  expect(sections('Plan 1.2', plan)[0]).toBe('### 1.2 Real\nyes');
});

test('tricky case 3, lean/C-13: ids are whole words and a one-character prefix is not a fallback', () => {
  const plan = '## Phase 1: Start\n### 11.1 Other\nx\n### I10 Ten\nx\n### I1-R4 Variant\nx\n';
  expect(sections('Plan 1.1', plan)[0]).toBe('reference without a section');
  expect(sections('Design I1', '', plan)[1]).toBe('reference without a section');
});

test('T-062: a longer prefix is tried once', () => {
  expect(sections('Plan 1A.1', '## 1A: Group\nbody\n')[0]).toBe('## 1A: Group\nbody');
  expect(sections('Plan 1A.1.2', '## 1A: Group\nbody\n')[0]).toBe('reference without a section');
});

test('tricky case 4: a title that starts with the id wins over one that mentions it; several are reported', () => {
  const design = '## Overview of C9 and others\ntoc\n## C9: Cache\nreal\n';
  expect(sections('Design C9', '', design)[1]).toBe('## C9: Cache\nreal');
  const twice = '## C9: Cache\n## C9: Cache\nreal\n';
  const scope = scopeTask(task('Design C9'), nothing, indexed(twice));
  expect(scope.design).toMatchObject({ text: '## C9: Cache\nreal', sections: [{ ambiguous: true }] });
  expect(scope.warnings.join()).toContain('several sections for C9');
});

test('T-064, tricky case 5: one unknown design id drops the design, the plan stays scoped', () => {
  const [plan, design] = sections('Plan 1.1, Design C1, C99', '### 1.1 A\np\n', '### C1: A\nd\n');
  expect(plan).toBe('### 1.1 A\np');
  expect(design).toBe('reference without a section');
});

test('T-063: a section that two references mean is shown once', () => {
  expect(sections('Plan 1A.1, 1A.2', '## 1A: Group\nbody\n')[0]).toBe('## 1A: Group\nbody');
});

test('T-063: several sections in the order of the references, a nested one once', () => {
  const design = '## C1: A\na\n### C2: inside\nb\n## C3: C\nc\n';
  expect(sections('Design C3, C1, C2', '', design)[1]).toBe('## C3: C\nc\n\n## C1: A\na\n### C2: inside\nb');
});

test.each([
  ['C9', '### Component 9: Bank\nx'],
  ['Component C9', '### Component 9: Bank\nx'],
  ['I-2', '### I2: API\nx'],
  ['I3', '### Interface 3 — API\nx'],
  ['TD4', '### Decision 4: Store\nx'],
])('lean/C-29: design %s is found under another spelling', (id, section) => {
  expect(sections(`Design ${id}`, '', `# D\n${section}\n## End\n`)[1]).toBe(section);
});

test('lean/C-29: numbered and bold items count, remarks about steps do not', () => {
  const plan = [
    '## Order',
    '1. **Store** — first',
    '   - detail',
    '2. **Server** — second',
    '## Risk Areas',
    '- **Item 2 (server):** may be large',
  ].join('\n');
  expect(sections('Plan item 2', plan)[0]).toBe('2. **Server** — second');
  expect(sections('Plan item 1', plan)[0]).toBe('1. **Store** — first\n   - detail');
});

test('a number that several lists have means none of them', () => {
  expect(sections('Plan item 1', '## A\n1. **X**\n## B\n1. **Y**\n')[0]).toBe('reference without a section');
});

test('a step is not a phase of the same number', () => {
  expect(sections('Plan Step 1', '## Phase 1: All\nx\n')[0]).toBe('reference without a section');
});

test('an item of a numbered stage is found inside its stage', () => {
  const plan = '### Stage 1: A\n1. **One**\n2. **Two**\n### Stage 2: B\n1. **Three**\n';
  expect(sections('Plan Stage 2.1', plan)[0]).toBe('1. **Three**');
});

test('T-065, lean/C-15: without references the file is read whole, unless the group names exactly one part of the plan', () => {
  const tasks = '## Stage 2: Helpers (parallel)\n### Task 2.1: A\nno field\n## Other\n### Task 3: B\n';
  const plan = indexed('## Phase 1: Base\nx\n## Phase 2: Helpers\ny\n');
  const [first, second] = parseTasks(tasks);
  if (first === undefined || second === undefined) throw new Error('tasks missing');
  expect(scopeTask(first, plan, nothing).plan).toMatchObject({ text: '## Phase 2: Helpers\ny' });
  const whole = scopeTask(second, plan, nothing);
  expect(whole.plan).toEqual({ kind: 'whole', reason: 'not referenced' });
  expect(whole.warnings).toEqual(['task 3 refers to no section of plan or design']);
});

test('T-061: a section by its id, whatever the case; nothing when there is none', () => {
  const document = indexed('# D\n## I7: Prompt\na\n### Inner\nb\n## I8\nc\n');
  expect(extractSection(document, 'i7')).toBe('## I7: Prompt\na\n### Inner\nb\n');
  expect(extractSection(document, 'I9')).toBeUndefined();
});
