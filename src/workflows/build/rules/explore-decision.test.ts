import { expect, test } from 'vitest';
import { readHandoffSpec, renderHandoff } from '../../../plan/tasks/handoff-spec.ts';
import { assessComplexity, decideExploration, pickAngles, planningStrategy } from './explore-decision.ts';

test.each([
  ['fix a typo in README.md', 'Low'],
  ['add rate limiting to the API', 'Medium'],
  ['make it nicer', 'Medium'],
  ['migrate the database schema and rewrite the security layer', 'High'],
  ['- a\n- b\n- c\n- d\nacross modules', 'High'],
])('P-040 %s is %s', (task, complexity) => {
  expect(assessComplexity(task)).toBe(complexity);
});

const facts = { forceExplore: false, task: 'say hello', expectedReading: 0, handoff: undefined };
const handoff = (source: string) => ({
  source,
  summary: '',
  scope: [],
  anchors: [],
  findings: [],
  decisions: [],
});

test('P-041 the decision table, row by row, in its order', () => {
  expect(decideExploration({ ...facts, forceExplore: true, handoff: handoff('analysis') }).explore).toBe(
    true,
  );
  expect(decideExploration({ ...facts, expectedReading: 50_000, handoff: handoff('analysis') }).explore).toBe(
    true,
  );
  expect(decideExploration({ ...facts, expectedReading: 49_999 }).explore).toBe(false);
  expect(decideExploration({ ...facts, handoff: handoff('brainstorm') }).explore).toBe(true);
  expect(decideExploration({ ...facts, task: 'fix src/a.ts', handoff: handoff('analysis') }).explore).toBe(
    false,
  );
  expect(decideExploration({ ...facts, task: '## Prior Analysis (x)\nfix src/a.ts' }).explore).toBe(false);
  expect(decideExploration({ ...facts, task: 'explain src/a.ts' }).explore).toBe(true);
  expect(decideExploration({ ...facts, task: 'extend the parser' }).explore).toBe(true);
  expect(decideExploration(facts).explore).toBe(false);
});

test.each([
  ['restructure the modules', 'architecture'],
  ['check the login', 'security'],
  ['the author page', 'feature'],
  ['make the list faster', 'performance'],
  ['fix the crash', 'bugfix'],
  ['use a prefix', 'feature'],
  ['修复登录', 'security'],
  ['修复崩溃', 'bugfix'],
])('P-042 %s is seen from the %s angles', (task, preset) => {
  expect(pickAngles(task, 'High')).toMatchObject({ preset, angles: { length: 4 } });
});

test('P-043 P-044 one, three or four angles; direct planning only for next to nothing', () => {
  expect((['Low', 'Medium', 'High'] as const).map((level) => pickAngles('x', level).angles.length)).toEqual([
    1, 3, 4,
  ]);
  expect(planningStrategy('Low', { priorAnalysis: false, angles: 1 })).toBe('direct');
  expect(planningStrategy('Low', { priorAnalysis: true, angles: 1 })).toBe('agent-based');
  expect(planningStrategy('Medium', { priorAnalysis: false, angles: 1 })).toBe('agent-based');
});

test('P-049 P-065 a handed-over specification is read; a malformed one does not stop the run', () => {
  const text = [
    'Do it',
    '```json:handoff-spec',
    '{"source":"analysis","summary":"Limits","implementation_scope":[{"objective":"Add it","target_files":["a.ts"],"acceptance_criteria":["429 is sent"]}],"key_findings":["one",{"text":"two"}]}',
    '```',
  ].join('\n');
  const spec = readHandoffSpec(text);
  expect(spec).toMatchObject({ source: 'analysis', findings: ['one', 'two'] });
  expect(spec && renderHandoff(spec)).toContain('Add it (a.ts); done when 429 is sent');
  expect(readHandoffSpec('```json:handoff-spec\n{oops\n```')).toBeUndefined();
  expect(readHandoffSpec('no block')).toBeUndefined();
});
