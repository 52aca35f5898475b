import { extractList } from '../../agents/extract-json.ts';
import { isRecord } from '../../base/safe-json.ts';
import { counted } from '../../base/text/strings.ts';
import { compilePrompt } from '../../prompts/compile.ts';
import { noResumeState } from '../../prompts/resume/state.ts';
import { dispatchFor } from '../../prompts/roles/table.ts';
import { fixIssues } from './fix.ts';
import { issueLines, look, recordFresh } from './records.ts';
import { reviewRole } from './review.ts';
import { type ImplementRun, unanswered } from './run.ts';
import type { Work } from './work.ts';

/** A fix outside the review rounds. */
const once = { round: 1, max: 1, state: noResumeState, resumes: false };

/** T-023: has code removed or simplified once, before the reviews. */
export async function simplify(run: ImplementRun, work: Work): Promise<void> {
  const { start, feature, code } = await work.round('simplify');
  const { answer } = await reviewRole(run, {
    command: 'implement',
    role: 'code-simplifier',
    iteration: 1,
    max: 1,
    retry: false,
    feature,
    state: noResumeState,
    resumes: false,
    code,
    place: work.place(start, 'read'),
  });
  if (answer === undefined || answer.issues.length === 0) return;
  const issues = issueLines(answer.issues);
  const message = 'Simplify without a change of behaviour';
  await fixIssues(run, work, { ...once, name: 'simplify fixes', message, issues });
}

/** How often code that contradicts the specification is fixed. */
const maxCycles = 2;

/**
 * T-024, T-049: tests are outlined from the documents alone, then written; where code and specification differ, you decide. True when
 * the run may continue.
 */
export async function deepenTests(run: ImplementRun, work: Work): Promise<boolean> {
  const outlines = await outlineTests(run, work);
  if (outlines === undefined) return true;
  for (let cycle = 1; ; cycle += 1) {
    const issues = await writeTests(run, work, outlines, cycle);
    if (issues.length === 0) return true;
    run.warn(`code and specification differ: ${issues.join('; ')}`);
    const choice = await decide(run, issues, cycle);
    if (choice !== 'fix') return choice === 'accept';
    const message = 'Do what the specification says where tests showed otherwise';
    await fixIssues(run, work, { ...once, name: `divergences ${cycle}`, message, issues });
  }
}

async function outlineTests(run: ImplementRun, work: Work): Promise<string | undefined> {
  const start = await work.open('work', 'outlines');
  const feature = await look(run, 'outlines');
  const agent = run.inputs.reviewer;
  const task = 'implement-test-deepener';
  const dispatch = dispatchFor('implement', 'test-deepener', run.inputs.artifacts);
  const { draft, expected } = compilePrompt({
    dispatch,
    files: feature.files,
    prd: feature.prd,
    transport: 'reference',
    iteration: { iteration: 1, max: 1 },
  });
  const prompt = run.prompt(draft);
  const outcome = await run.call({
    ...{ agent, lane: 'test outlines', task, prompt },
    place: work.place(start, 'read'),
  });
  if (outcome.error !== undefined) throw unanswered(agent, task, outcome.error);
  const { command, role, unpruned } = dispatch;
  const answer = outcome.text;
  await recordFresh(run, 'test outlines', { command, role, prompt, answer, feature, expected }, unpruned);
  const list = extractList(answer, 'outlines');
  if (list.length > 0) return JSON.stringify(list, null, 1);
  run.warn('no tests were outlined');
  return undefined;
}

/** What tests showed to differ from the specification, one line each. */
async function writeTests(run: ImplementRun, work: Work, outlines: string, cycle: number): Promise<string[]> {
  const lane = `tests ${cycle}`;
  const { start, feature, code } = await work.round(lane);
  const agent = run.inputs.author;
  const task = 'implement-test-deepener-b';
  const { draft } = compilePrompt({
    dispatch: dispatchFor('implement', 'test-deepener-b', run.inputs.artifacts),
    files: feature.files,
    prd: feature.prd,
    transport: 'reference',
    iteration: { iteration: cycle, max: maxCycles + 1 },
    implementationFiles: Object.keys(code),
    outlines,
  });
  const prompt = run.prompt(draft);
  const outcome = await run.call({ agent, lane, task, prompt, place: work.place(start, 'write') });
  if (outcome.error !== undefined) throw unanswered(agent, task, outcome.error);
  const merged = await work.merge(lane, start, 'Test what the specification promises');
  run.note(`tests: ${merged.kind === 'landed' ? `in ${merged.files.join(', ')}` : 'nothing changed'}`);
  return extractList(outcome.text, 'spec_divergences').slice(0, 50).map(divergenceLine);
}

function divergenceLine(item: unknown): string {
  if (!isRecord(item)) return String(item).slice(0, 500);
  const { criterion, expected, actual } = item;
  return `[blocker] ${String(criterion ?? 'specification')}: expected ${String(expected ?? '?')}, got ${String(actual ?? '?')}`
    .replace(/\s+/g, ' ')
    .slice(0, 1_000);
}

/** §2B: fixed twice at most; a remaining difference is yours to judge and ends an unattended run. */
async function decide(run: ImplementRun, divergences: readonly string[], cycle: number): Promise<string> {
  const mayFix = cycle <= maxCycles;
  if (run.inputs.autonomous) return mayFix ? 'fix' : 'manual';
  const id = `divergence-${cycle}`;
  const answers = await run.context.ask([
    {
      id,
      text: `Tests show ${counted(divergences.length, 'difference')} between code and specification. What now?`,
      detail: divergences.join('\n'),
      options: [
        ...(mayFix ? [{ value: 'fix', label: 'Have the code fixed' }] : []),
        { value: 'accept', label: 'Accept them; the reviewers will see them' },
        { value: 'manual', label: 'Stop; I will check it' },
      ],
      ...(mayFix ? { recommended: 'fix' } : {}),
    },
  ]);
  return answers.get(id)?.value ?? 'manual';
}
