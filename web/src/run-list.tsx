import { useEffect, useState } from 'preact/hooks';
import type { ListedRun, ListedRuns } from '../../src/surfaces/web/snapshot.ts';
import { Status } from './chips.tsx';
import { ago, count, money, phaseName } from './format.ts';
import { hashOf, newRunHash } from './route.ts';
import type { Source } from './source.ts';

const everyMs = 3000;
const listed = 100;
/** A question with more options is answered on the page of its run. */
const maxButtons = 4;

/** The newest runs of the project; those that wait for you come first, however old they are. */
export function RunList({ source }: { source: Source }) {
  const [list, setList] = useState<ListedRuns>();
  const [limit, setLimit] = useState(listed);
  const [problem, setProblem] = useState<string>();
  const load = () => {
    if (document.hidden) return;
    source.runs(limit).then(
      (runs) => {
        setList(runs);
        setProblem(undefined);
      },
      (error: Error) => setProblem(error.message),
    );
  };
  useEffect(() => {
    load();
    const timer = setInterval(load, everyMs);
    document.addEventListener('visibilitychange', load);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', load);
    };
  }, [source, limit]);
  useEffect(() => {
    document.title = list === undefined ? 'Charrette' : `${list.project} · Charrette`;
  }, [list]);
  const notice = problem !== undefined && (
    <p class="notice bad" role="alert">
      {problem}
    </p>
  );
  if (list === undefined)
    return (
      <div class="page narrow" aria-busy={problem === undefined}>
        {notice}
      </div>
    );
  const asks = ({ status, questions }: ListedRun) => status === 'paused' || questions.length > 0;
  const runs = [...list.runs].sort((a, b) => Number(asks(b)) - Number(asks(a)));
  const waiting = runs.filter(asks).length;
  return (
    <div class="page narrow">
      <div class="head-line">
        <h1>{list.project}</h1>
        <span class="grow" />
        <a class="button primary" href={newRunHash}>
          New run
        </a>
      </div>
      {notice}
      <p class="lead">
        {runs.length === 0
          ? 'No runs yet. Start one here, or in a terminal: charrette design "…"'
          : `${list.total} ${list.total === 1 ? 'run' : 'runs'}`}
        {waiting > 0 && `, ${waiting} ${waiting === 1 ? 'waits' : 'wait'} for you`}
      </p>
      <ul class="runs">
        {runs.map((run) => (
          <RunCard key={run.run} run={run} source={source} onAnswered={load} />
        ))}
      </ul>
      {list.total > runs.length && (
        <button type="button" class="button" onClick={() => setLimit(limit + listed)}>
          Show {Math.min(listed, list.total - runs.length)} more
        </button>
      )}
    </div>
  );
}

type CardProps = { run: ListedRun; source: Source; onAnswered: () => void };

function RunCard({ run, source, onAnswered }: CardProps) {
  const activity = activityOf(run);
  return (
    <li class="card run-card">
      <a class="run-title" href={hashOf({ run: run.run })}>
        <bdi>{run.title || run.run}</bdi>
      </a>
      <Status status={run.status} />
      {activity !== undefined && (
        <p class="run-activity">
          <bdi>{activity}</bdi>
        </p>
      )}
      {run.questions.length > 0 && <QuickAnswer run={run} source={source} onAnswered={onAnswered} />}
      <span class="run-facts">
        <span>{run.workflow}</span>
        <span>{ago(run.created, Date.now())}</span>
        <span>
          {run.calls} {run.calls === 1 ? 'call' : 'calls'}
        </span>
        {run.tokens > 0 && <span>{count(run.tokens)} tokens</span>}
        {run.usd > 0 && <span>{money(run.usd)}</span>}
      </span>
    </li>
  );
}

/** Who works, or what the run waits for; the questions of a run speak for themselves. */
function activityOf({ status, step, agents = [], waits }: ListedRun): string | undefined {
  if (status === 'queued' || (status === 'running' && waits !== undefined)) return waits;
  if (status !== 'running' || step === undefined) return undefined;
  const name = phaseName(step.phase, step.title);
  return agents.length === 0 ? name : `${name}: ${agents.join(', ')}`;
}

/** One click per answer where the options are few; else the way to the form of the run. */
function QuickAnswer({ run, source, onAnswered }: CardProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [question, ...more] = run.questions;
  if (question === undefined) return null;
  const { id, text, detail, options = [], recommended } = question;
  const answer = (value: string) => {
    setBusy(true);
    source
      .steer(run.run, 'answers', { answers: { [id]: value } })
      .then(onAnswered, (error: Error) => setProblem(error.message))
      .finally(() => setBusy(false));
  };
  const direct = more.length === 0 && options.length > 0 && options.length <= maxButtons;
  return (
    <div class="quick-answer">
      <p dir="auto">{text}</p>
      {direct && detail !== undefined && (
        <p class="quiet" dir="auto">
          {detail}
        </p>
      )}
      <p class="actions">
        {direct ? (
          options.map(({ value, label }) => (
            <button
              key={value}
              type="button"
              class={value === recommended ? 'button primary' : 'button'}
              disabled={busy}
              onClick={() => answer(value)}
            >
              <bdi>{label}</bdi>
            </button>
          ))
        ) : (
          <a class="button primary" href={hashOf({ run: run.run })}>
            {more.length === 0 ? 'Answer' : `Answer ${run.questions.length} questions`}
          </a>
        )}
      </p>
      {problem !== undefined && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
