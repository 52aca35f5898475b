import { useEffect, useState } from 'preact/hooks';
import type { Snapshot } from '../../src/surfaces/web/snapshot.ts';
import { spanOf } from '../../src/surfaces/web/timeline.ts';
import { Status } from './chips.tsx';
import { count, elapsed, money } from './format.ts';
import type { RunStore } from './run-store.ts';
import type { Source } from './source.ts';

export function RunHead({
  source,
  store,
  snapshot,
}: {
  source: Source;
  store: RunStore;
  snapshot: Snapshot;
}) {
  const status = store.state?.status ?? snapshot.status;
  const now = useNow(status === 'running');
  const { start, end } = spanOf(store.timeline, status === 'running' ? now : undefined);
  const tokens = snapshot.costs.reduce((sum, cost) => sum + cost.inputTokens + cost.outputTokens, 0);
  const usd = snapshot.costs.reduce((sum, cost) => sum + (cost.usd ?? 0), 0);
  const accepted = snapshot.view.findings.filter(({ outcome }) => outcome === 'accepted').length;
  return (
    <header class="head">
      <p class="eyebrow">
        {snapshot.workflow}
        {snapshot.settings.map(({ name, value }) => (
          <span key={name}>
            {name} {value}
          </span>
        ))}
      </p>
      <div class="head-line">
        <h1 dir="auto">{snapshot.title}</h1>
        <span role="status">
          <Status status={status} />
        </span>
        {!store.connected && source.report === undefined && (
          <span class="notice quiet" role="status">
            Connection lost; trying again
          </span>
        )}
      </div>
      {snapshot.error !== undefined && status !== 'running' && (
        <p class="notice bad" role="alert">
          <bdi>{snapshot.error.message}</bdi> <bdi>{snapshot.error.fix ?? ''}</bdi>
        </p>
      )}
      {snapshot.degraded !== undefined && (
        <p class="notice">
          <bdi>
            {`Not as announced: ${snapshot.degraded.map(({ role, seat, reason }) => `${role} ${seat} (${reason})`).join(', ')}`}
          </bdi>
        </p>
      )}
      <dl class="facts">
        <Fact name="Time" value={elapsed(end - start)} />
        <Fact name="Calls" value={count(snapshot.costs.length)} />
        <Fact name="Tokens" value={tokens === 0 ? 'none counted' : count(tokens)} />
        {usd > 0 && <Fact name="Cost" value={money(usd)} />}
        {snapshot.view.debates.length > 0 && (
          <Fact name="Contested" value={count(snapshot.view.debates.length)} />
        )}
        {snapshot.view.findings.length > 0 && (
          <Fact name="Findings accepted" value={`${accepted} of ${snapshot.view.findings.length}`} />
        )}
        {snapshot.baseCommit !== undefined && (
          <Fact name="Base commit" value={snapshot.baseCommit.slice(0, 10)} mono />
        )}
      </dl>
      {source.report === undefined && (
        <Steering
          source={source}
          run={snapshot.run}
          status={status}
          asks={(store.state?.questions ?? snapshot.questions).length > 0}
        />
      )}
    </header>
  );
}

function Fact({ name, value, mono = false }: { name: string; value: string; mono?: boolean }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={mono ? 'mono' : undefined}>{value}</dd>
    </div>
  );
}

type Steerable = { source: Source; run: string; status: string; asks: boolean };

/** Resuming and cancelling; cancelling asks once more. */
function Steering({ source, run, status, asks }: Steerable) {
  const [busy, setBusy] = useState(false);
  const [sure, setSure] = useState(false);
  const [problem, setProblem] = useState<string>();
  // Answered elsewhere and left at that.
  const answered = status === 'paused' && !asks;
  const canResume = answered || ['stopped', 'interrupted', 'failed'].includes(status);
  const canCancel = ['queued', 'running', 'paused', 'stopped', 'interrupted'].includes(status);
  if (!canResume && !canCancel) return null;
  const act = (action: 'resume' | 'cancel') => {
    setBusy(true);
    setSure(false);
    source
      .steer(run, action)
      .then(
        () => setProblem(undefined),
        (error: Error) => setProblem(error.message),
      )
      .finally(() => setBusy(false));
  };
  return (
    <div class="steering">
      {canResume && (
        <button type="button" class="button" disabled={busy} onClick={() => act('resume')}>
          Resume
        </button>
      )}
      {canCancel && !sure && (
        <button type="button" class="button quiet" disabled={busy} onClick={() => setSure(true)}>
          Cancel run…
        </button>
      )}
      {sure && (
        <>
          <button type="button" class="button danger" onClick={() => act('cancel')}>
            End it permanently
          </button>
          <button type="button" class="button quiet" onClick={() => setSure(false)}>
            Keep it
          </button>
        </>
      )}
      {problem !== undefined && (
        <span class="notice bad" role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}

function useNow(ticking: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!ticking) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [ticking]);
  return now;
}
