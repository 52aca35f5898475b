import { useMemo, useState } from 'preact/hooks';
import type { FindingView } from '../../../src/surfaces/web/view/findings.ts';
import type { PlanChange, RunView } from '../../../src/surfaces/web/view/run-view.ts';
import { diffLines } from '../diff-lines.ts';
import { block, parseMarkdown, Unset } from '../markdown.tsx';

/** The plan with findings next to the lines they are about, and what review changed. */
export function Plan({ view: { plan = '', change, findings } }: { view: RunView }) {
  const [compares, setCompares] = useState(false);
  if (change === undefined)
    return (
      <div class="card plan">
        <div id="plan-panel">
          <PlanText text={plan} findings={findings} />
        </div>
      </div>
    );
  const tab = (id: string, title: string, selected: boolean) => (
    <button
      type="button"
      role="tab"
      id={id}
      aria-selected={selected}
      aria-controls="plan-panel"
      tabIndex={selected ? 0 : -1}
      onClick={() => setCompares(id === 'tab-change')}
    >
      {title}
    </button>
  );
  return (
    <div class="card plan">
      <div class="tabs" role="tablist" aria-label="The plan, and what review changed" onKeyDown={moveFocus}>
        {tab('tab-plan', 'Plan', !compares)}
        {tab('tab-change', `Before and after review  +${change.added} −${change.removed}`, compares)}
      </div>
      <div
        id="plan-panel"
        role="tabpanel"
        aria-labelledby={compares ? 'tab-change' : 'tab-plan'}
        tabIndex={0}
      >
        {compares ? (
          <Diff change={change} findings={findings} />
        ) : (
          <PlanText text={plan} findings={findings} />
        )}
      </div>
    </div>
  );
}

/** Arrow keys move between tabs, as they do everywhere. */
function moveFocus(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (step === 0) return;
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')];
  const next = tabs[(tabs.indexOf(document.activeElement as HTMLElement) + step + tabs.length) % tabs.length];
  next?.focus();
  next?.click();
}

function PlanText({ text, findings }: { text: string; findings: readonly FindingView[] }) {
  const root = useMemo(() => parseMarkdown(text), [text]);
  if (root === undefined) return <Unset text={text} />;
  return (
    <div class="prose annotated">
      {root.children.map((node, index) => {
        const [from, to] = [node.position?.start.line ?? 0, node.position?.end.line ?? 0];
        const notes = findings.filter(
          ({ anchor }) => anchor !== undefined && anchor.line >= from && anchor.line <= to,
        );
        return (
          <div key={index} class={notes.length > 0 ? 'noted' : undefined}>
            {block(node, index)}
            {notes.length > 0 && <Notes findings={notes} />}
          </div>
        );
      })}
    </div>
  );
}

function Notes({ findings }: { findings: readonly FindingView[] }) {
  return (
    <ul class="notes" aria-label="Findings about this part">
      {findings.map((finding) => (
        <li key={finding.id}>
          <button
            type="button"
            class={`note is-${finding.outcome ?? 'open'}`}
            onClick={() => showFinding(finding.id)}
          >
            <span class="note-id">{shortId(finding.id)}</span> <bdi>{finding.title}</bdi>
          </button>
        </li>
      ))}
    </ul>
  );
}

export const shortId = (id: string): string => id.replace('FINDING_', 'F').replace('OOS_', 'O');

export function showFinding(id: string): void {
  const card = document.getElementById(id);
  card?.scrollIntoView({ block: 'center' });
  card?.focus({ preventScroll: true });
}

const kinds = { '+': 'added', '-': 'removed', '@': 'place' } as const;

/** A unified diff; the findings that led to it are named above. */
function Diff({ change, findings }: { change: PlanChange; findings: readonly FindingView[] }) {
  const lines = diffLines(change.diff);
  const worked = findings.filter(({ outcome, outOfScope }) => outcome === 'accepted' && !outOfScope);
  return (
    <>
      {worked.length > 0 && (
        <p class="quiet">
          Accepted findings:{' '}
          {worked.map(({ id, title }) => (
            <button
              key={id}
              type="button"
              class="note is-accepted"
              title={title}
              onClick={() => showFinding(id)}
            >
              {shortId(id)}
            </button>
          ))}
        </p>
      )}
      <pre class="diff" tabIndex={0}>
        {lines.map((line, index) => {
          const kind = kinds[line.charAt(0) as keyof typeof kinds] ?? 'same';
          return (
            <span key={index} class={`diff-${kind}`}>
              {line}
              {'\n'}
            </span>
          );
        })}
      </pre>
    </>
  );
}
