import { extractList } from '../../agents/extract-json.ts';
import { isRecord } from '../../base/safe-json.ts';
import { compilePrompt } from '../../prompts/compile.ts';
import { compose } from '../../prompts/compose.ts';
import { noResumeState } from '../../prompts/resume/state.ts';
import { dispatchFor } from '../../prompts/roles/table.ts';
import { type FeatureDesk, unanswered } from './desk.ts';
import { recordFresh } from './fresh-call.ts';
import { fixIssues } from './implement-fix.ts';
import type { FeatureImplementInputs } from './inputs.ts';
import { issueLines, look } from './records.ts';
import { reviewRole } from './review.ts';
import { changedCode, landWork, openAt, placeIn, type Work } from './work.ts';

type Desk = FeatureDesk<FeatureImplementInputs>;

/** T-023: what can go or become simpler is done once, before anybody reviews. */
export async function simplify(desk: Desk, work: Work, named: readonly string[]): Promise<void> {
  const start = await openAt(desk, work, 'work', 'simplify');
  const reviewed = await reviewRole(desk, {
    command: 'implement',
    role: 'code-simplifier',
    iteration: 1,
    max: 1,
    retry: false,
    feature: await look(desk, 'simplify'),
    state: noResumeState,
    resumes: false,
    code: await changedCode(desk, work, start, named, 'simplify'),
    place: placeIn(work, start, 'read'),
  });
  if (reviewed.answer === undefined || reviewed.answer.issues.length === 0) return;
  const issues = issueLines(reviewed.answer.issues);
  const request = {
    name: 'simplify fixes',
    message: 'Simplify without a change of behaviour',
    round: 1,
    max: 1,
    issues,
    state: noResumeState,
    resumes: false,
    named,
  };
  await fixIssues(desk, work, request);
}

/** How often tests that contradict the code are dealt with. */
const mostCycles = 2;

/** T-024, T-049: tests are outlined from the documents alone, then written; where code and specification differ, somebody decides. True when the run may go on. */
export async function deepenTests(desk: Desk, work: Work, named: readonly string[]): Promise<boolean> {
  const outlines = await outlineTests(desk, work);
  if (outlines === undefined) return true;
  for (let cycle = 1; ; cycle += 1) {
    const divergences = await writeTests(desk, work, outlines, named, cycle);
    if (divergences.length === 0) return true;
    desk.warn(`code and specification differ: ${divergences.join('; ')}`);
    const choice = await decide(desk, divergences, cycle);
    if (choice !== 'fix') return choice === 'accept';
    await fixIssues(desk, work, {
      name: `divergences ${cycle}`,
      message: 'Do what the specification says where tests showed otherwise',
      round: 1,
      max: 1,
      issues: divergences,
      state: noResumeState,
      resumes: false,
      named,
    });
  }
}

async function outlineTests(desk: Desk, work: Work): Promise<string | undefined> {
  const start = await openAt(desk, work, 'work', 'outlines');
  const feature = await look(desk, 'outlines');
  const { draft, expected } = compilePrompt({
    dispatch: dispatchFor('implement', 'test-deepener', desk.inputs.artifacts),
    files: feature.files,
    prd: feature.prd,
    transport: 'reference',
    iteration: { iteration: 1, max: 1 },
  });
  const prompt = compose(draft, { nonce: desk.nonce, overrides: desk.services.overrides }).text;
  const outcome = await desk.call(desk.inputs.reviewer, {
    lane: 'test outlines',
    task: 'implement-test-deepener',
    prompt,
    place: placeIn(work, start, 'read'),
  });
  if (outcome.error !== undefined)
    throw unanswered(desk.inputs.reviewer, 'implement-test-deepener', outcome.error);
  await recordFresh(desk, {
    name: 'test outlines',
    command: 'implement',
    role: 'test-deepener',
    prompt,
    answer: outcome.text,
    feature,
    expected,
    full: ['spec', 'design', 'tasks', 'prd'],
  });
  const list = extractList(outcome.text, 'outlines');
  if (list.length > 0) return JSON.stringify(list, null, 1);
  desk.warn('no tests were outlined');
  return undefined;
}

async function writeTests(
  desk: Desk,
  work: Work,
  outlines: string,
  named: readonly string[],
  cycle: number,
): Promise<string[]> {
  const name = `tests ${cycle}`;
  const start = await openAt(desk, work, 'work', name);
  const feature = await look(desk, name);
  const code = await changedCode(desk, work, start, named, name);
  const { draft } = compilePrompt({
    dispatch: dispatchFor('implement', 'test-deepener-b', desk.inputs.artifacts),
    files: feature.files,
    prd: feature.prd,
    transport: 'reference',
    iteration: { iteration: cycle, max: mostCycles + 1 },
    implementationFiles: Object.keys(code),
    outlines,
  });
  const outcome = await desk.call(desk.inputs.author, {
    lane: name,
    task: 'implement-test-deepener-b',
    prompt: compose(draft, { nonce: desk.nonce, overrides: desk.services.overrides }).text,
    place: placeIn(work, start, 'write'),
  });
  if (outcome.error !== undefined)
    throw unanswered(desk.inputs.author, 'implement-test-deepener-b', outcome.error);
  const landed = await landWork(desk, work, name, start, 'Test what the specification promises');
  desk.note(`tests: ${landed.kind === 'landed' ? `in ${landed.files.join(', ')}` : 'nothing changed'}`);
  return extractList(outcome.text, 'spec_divergences').slice(0, 50).map(divergenceLine);
}

function divergenceLine(item: unknown): string {
  if (!isRecord(item)) return String(item).slice(0, 500);
  const { criterion, expected, actual } = item;
  return `[blocker] ${String(criterion ?? 'specification')}: expected ${String(expected ?? '?')}, got ${String(actual ?? '?')}`
    .replace(/\s+/g, ' ')
    .slice(0, 1_000);
}

type Choice = 'fix' | 'accept' | 'manual';

/** §2B: fixed twice at most; a difference that stays is for a person to judge, and ends a run that nobody watches. */
async function decide(desk: Desk, divergences: readonly string[], cycle: number): Promise<Choice> {
  const mayFix = cycle <= mostCycles;
  if (desk.inputs.autonomous) return mayFix ? 'fix' : 'manual';
  const id = `divergence-${cycle}`;
  const answers = await desk.context.ask([
    {
      id,
      text: `Tests show ${divergences.length} ${divergences.length === 1 ? 'difference' : 'differences'} between code and specification. What now?`,
      detail: divergences.join('\n'),
      options: [
        ...(mayFix ? [{ value: 'fix', label: 'Have the code fixed' }] : []),
        { value: 'accept', label: 'Accept them; the reviewers will see them' },
        { value: 'manual', label: 'Stop; I will look at it' },
      ],
      ...(mayFix ? { recommended: 'fix' } : {}),
    },
  ]);
  return (answers.get(id)?.value ?? 'manual') as Choice;
}
