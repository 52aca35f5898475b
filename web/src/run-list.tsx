import { useEffect, useState } from 'preact/hooks';
import { Status } from './chips.tsx';
import { ago, count, money } from './format.ts';
import { hashOf } from './route.ts';
import type { RunList as Runs, Source } from './source.ts';

const everyMs = 3000;
const listed = 100;

/** The newest runs of the project; those that wait for a person come first, however old they are. */
export function RunList({ source }: { source: Source }) {
  const [list, setList] = useState<Runs>();
  const [limit, setLimit] = useState(listed);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
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
  const runs = [...list.runs].sort((a, b) => Number(b.status === 'paused') - Number(a.status === 'paused'));
  return (
    <div class="page narrow">
      <h1>{list.project}</h1>
      {notice}
      <p class="lead">
        {runs.length === 0
          ? 'No runs yet. Start one in a terminal: charrette design "…"'
          : `${list.total} ${list.total === 1 ? 'run' : 'runs'}`}
      </p>
      <ul class="runs">
        {runs.map((run) => (
          <li key={run.run}>
            <a class="card run-card" href={hashOf({ run: run.run })}>
              <bdi class="run-title">{run.title || run.run}</bdi>
              <Status status={run.status} />
              <span class="run-facts">
                <span>{run.workflow}</span>
                <span>{ago(run.created, Date.now())}</span>
                <span>
                  {run.calls} {run.calls === 1 ? 'call' : 'calls'}
                </span>
                {run.tokens > 0 && <span>{count(run.tokens)} tokens</span>}
                {run.usd > 0 && <span>{money(run.usd)}</span>}
              </span>
            </a>
          </li>
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
