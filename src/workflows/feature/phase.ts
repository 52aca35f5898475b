import path from 'node:path';
import type { Outcome } from '../../engine/engine.ts';
import type { WorkflowDefinition } from '../../engine/workflow.ts';
import { CharretteError } from '../../errors.ts';
import { type GateResult, judgeAnswer, revisionIssues } from '../../feature/gate.ts';
import { renderHistoryEntry } from '../../feature/history.ts';
import { type MetaReading, readMeta } from '../../feature/meta.ts';
import {
  serializeMeta,
  withPhaseCompleted,
  withPhaseStarted,
  withSkipped,
} from '../../feature/meta-write.ts';
import { phaseOutcome } from '../../feature/outcome-line.ts';
import {
  afterAnswer,
  afterUnreadable,
  nextPhaseStep,
  type PhaseLoop,
  reviewerNotes,
  startPhaseLoop,
  totalIterations,
} from '../../feature/phase-loop.ts';
import { phaseTable } from '../../feature/phases.ts';
import type { ReviewAnswer, ReviewIssue } from '../../feature/review-answer.ts';
import { reviewOnce } from '../../feature/review-call.ts';
import { writeFileAtomic } from '../../files/atomic.ts';
import { readTextFile } from '../../files/bounded.ts';
import { artifacts, sideFiles } from '../../prompts/artifacts.ts';
import { authorPrompt, revisionPrompt } from '../../prompts/author/write.ts';
import { appendDispatch } from '../../prompts/dispatch-log.ts';
import { type FeatureFiles, readFeature } from '../../prompts/feature-files.ts';
import { noResumeState, type ResumeState, withFixSummary } from '../../prompts/resume/state.ts';
import { dispatchFor } from '../../prompts/roles/table.ts';
import { loadExactCounter } from '../../text/tokens.ts';
import type { ServicesOf } from '../services.ts';
import { askConsent, sessionsCanContinue } from './before.ts';
import { PhaseDesk } from './desk.ts';
import { documentPhases, type FeaturePhaseInputs } from './inputs.ts';

/** `charrette feature specify|design|plan|tasks`: write the document of a phase, review it, revise it, complete the phase. */
export function featurePhaseWorkflow(
  servicesOf: ServicesOf,
): WorkflowDefinition<FeaturePhaseInputs, Outcome> {
  return {
    name: 'feature-phase',
    async run(context, inputs) {
      const desk = new PhaseDesk(context, await servicesOf(context.live), inputs);
      await askConsent(desk);
      const resumes = await sessionsCanContinue(desk);
      const key = documentPhases[inputs.phase];
      const file = path.join(inputs.directory, artifacts[key].file);
      await changeState(desk, 'start', async (reading, time) =>
        withPhaseStarted(reading, inputs.phase, time),
      );
      const before = await look(desk, 'before');
      if (before.files[key].kind !== 'present') {
        const text = await desk.write(authorPrompt({ ...subject(inputs), key, ...before }));
        await save(desk, file, text, 'first draft');
      } else desk.note(`${artifacts[key].file} is there; it is reviewed as it stands`);
      const { loop, issues } = await review(desk, file, resumes);
      const capReached = loop.finished.some(({ approved }) => !approved);
      const notes = reviewerNotes(issues, capReached);
      const iterations = totalIterations(loop.finished);
      await changeState(desk, 'complete', async (reading, time) =>
        withPhaseCompleted(reading, inputs.phase, { time, iterations, reviewerNotes: notes }),
      );
      const outcome = phaseOutcome(inputs.phase, iterations, capReached, notes);
      await context.artifact('phase-outcome.md', `${outcome}\n`);
      context.emit({ type: 'body', heading: `Phase ${inputs.phase}`, text: outcome });
      return capReached ? { status: 'not-accepted', exit: 6, message: outcome } : { status: 'done', exit: 0 };
    },
  };
}

type Reviewed = { loop: PhaseLoop; issues: readonly ReviewIssue[] | undefined };

/** T-119…T-121: stage after stage, round after round, with a revision between two rounds. */
async function review(desk: PhaseDesk, file: string, agentResumes: boolean): Promise<Reviewed> {
  const { inputs, context } = desk;
  let loop = startPhaseLoop(phaseTable[inputs.phase].reviewers);
  let state: ResumeState = noResumeState;
  let last: { answer: ReviewAnswer; result: GateResult } | undefined;
  for (let step = nextPhaseStep(loop); step.kind === 'dispatch'; step = nextPhaseStep(loop)) {
    const dispatch = dispatchFor(inputs.phase, step.role);
    const label = `${step.role} ${step.iteration}${step.retry ? ' again' : ''}`;
    const now = await desk.now(label);
    const [domain] = loop.finished;
    const reviewed = await reviewOnce(
      {
        dispatch,
        feature: await look(desk, label),
        state,
        iteration: step.iteration,
        max: step.max,
        transport: inputs.transport,
        agentResumes,
        finalValidation: false,
        ...(last === undefined || step.iteration === 1
          ? {}
          : { previousIssues: issueLines(last.answer.issues).join('\n') }),
        ...(domain === undefined
          ? {}
          : {
              outcome: {
                reviewer: domain.role,
                approved: domain.approved,
                iteration: domain.iterations,
                max: domain.max,
                unresolved: issueLines(domain.unresolved),
              },
            }),
      },
      {
        call: (request) => desk.call(inputs.reviewer, `${inputs.phase}-${step.role}`, request),
        now: () => now,
        count: await loadExactCounter(),
        nonce: desk.nonce,
      },
    );
    state = reviewed.state;
    await record(desk, label, now, reviewed.record);
    if (reviewed.answer === undefined) {
      failOnError(desk, reviewed.problem);
      desk.warn(`${label}: ${reviewed.problem ?? 'no answer'}`);
      loop = afterUnreadable(loop, reviewed.problem ?? 'no answer', true);
      continue;
    }
    const result = judgeAnswer(reviewed.answer, [], inputs.gate);
    last = { answer: reviewed.answer, result };
    desk.note(`${label}: ${result.reviewer}, gate ${result.gate} (${result.reason})`);
    const next = afterAnswer(loop, result);
    const revises = result.gate === 'fail' && next.stage === loop.stage;
    loop = next;
    const resolved = issueLines(result.open);
    if (revises) {
      await revise(desk, file, last, step.iteration, step.max);
      state = withFixSummary(state, step.iteration, resolved.join('; ').slice(0, 2_000));
    }
    const entry = renderHistoryEntry({
      command: inputs.phase,
      role: step.role,
      iteration: step.iteration,
      time: new Date(now).toISOString(),
      result,
      issues: reviewed.answer.issues,
      markers: reviewed.markers,
      ...(revises
        ? { changes: `Revised for ${resolved.length} ${resolved.length === 1 ? 'issue' : 'issues'}` }
        : {}),
    });
    await context.step(`history ${label}`, () => appendHistory(inputs.directory, entry));
  }
  return { loop, issues: last?.answer.issues };
}

async function revise(
  desk: PhaseDesk,
  file: string,
  { answer, result }: { answer: ReviewAnswer; result: GateResult },
  iteration: number,
  max: number,
): Promise<void> {
  const { must, may } = revisionIssues(answer, result);
  const issues = { must: issueLines(must), may: issueLines(may) };
  const feature = await look(desk, `revision ${iteration}`);
  const key = documentPhases[desk.inputs.phase];
  const draft = revisionPrompt({ ...subject(desk.inputs), key, ...feature, issues, iteration, max });
  await save(desk, file, await desk.write(draft), `revision ${iteration}`);
}

function subject({ description, brief }: FeaturePhaseInputs) {
  return { ...(description === undefined ? {} : { description }), ...(brief === undefined ? {} : { brief }) };
}

function issueLines(issues: readonly ReviewIssue[]): string[] {
  return issues.map(({ severity, description, location, suggestion }) =>
    [
      `[${severity}] ${description}`,
      ...(location === undefined ? [] : [`(at: ${location})`]),
      ...(suggestion === undefined ? [] : [`Suggestion: ${suggestion}`]),
    ].join(' '),
  );
}

/** What the feature looks like now, the same when the run is replayed. */
function look(desk: PhaseDesk, name: string): Promise<FeatureFiles> {
  return desk.context.step(`read feature ${name}`, () => readFeature(desk.inputs.directory));
}

async function save(desk: PhaseDesk, file: string, text: string, name: string): Promise<void> {
  await desk.context.step(`write ${name}`, () => writeFileAtomic(file, text));
  desk.note(`${path.basename(file)}: ${name} written`);
}

type StateChange = (reading: MetaReading, time: string) => Promise<Record<string, unknown>>;

async function changeState(desk: PhaseDesk, name: string, change: StateChange): Promise<void> {
  const { context, inputs } = desk;
  await context.step(`state ${name}`, async () => {
    const file = path.join(inputs.directory, sideFiles.state);
    const reading = readMeta((await readTextFile(file)) ?? '{}');
    const time = new Date(context.clock.now()).toISOString();
    const skipped = name === 'start' && inputs.skipped.length > 0;
    const first = skipped
      ? readMeta(
          serializeMeta(
            withSkipped(
              reading,
              inputs.skipped.map((phase) => ({ phase, skippedAt: time, toPhase: inputs.phase })),
            ),
          ),
        )
      : reading;
    await writeFileAtomic(file, serializeMeta(await change(first, time)));
  });
}

/** A step that was cut off runs again; what it had written already is not written twice. */
async function appendHistory(directory: string, entry: string): Promise<void> {
  const file = path.join(directory, sideFiles.history);
  const there = (await readTextFile(file)) ?? '';
  if (!there.includes(entry)) await writeFileAtomic(file, `${there}${entry}`);
}

async function record(
  desk: PhaseDesk,
  label: string,
  now: number,
  facts: Awaited<ReturnType<typeof reviewOnce>>['record'],
): Promise<void> {
  const { services, inputs, context } = desk;
  await context.step(`log ${label}`, () =>
    appendDispatch(services.project, {
      v: 1,
      time: new Date(now).toISOString(),
      feature: path.basename(inputs.directory),
      ...facts,
    }),
  );
}

/** A reviewer that could not be reached is no verdict: the run stops and can go on when the cause is mended. */
function failOnError(desk: PhaseDesk, problem: string | undefined): void {
  const unreadable =
    problem === undefined || problem.startsWith('the answer') || problem.startsWith('`issues`');
  if (unreadable) return;
  throw new CharretteError({
    code: 'author-failed',
    message: `${desk.inputs.reviewer} gave no review: ${problem}.`,
    fix: 'Mend the named cause (login, limits, network), or name another agent with --agents.',
    retryable: true,
  });
}
