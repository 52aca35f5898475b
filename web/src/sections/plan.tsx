import { useMemo, useState } from 'preact/hooks';
import type { FindingView } from '../../../src/surfaces/web/view/findings.ts';
import type { PlanRevision, RunView } from '../../../src/surfaces/web/view/run-view.ts';
import { diffLines } from '../diff-lines.ts';
import { block, parseMarkdown, Unset } from '../markdown.tsx';

/** The plan with the findings beside the lines they are about, and what each revision changed. */
export function Plan({ view }: { view: RunView }) {
  const changed = view.revisions.filter(({ diff }) => diff !== undefined);
  const [tab, setTab] = useState('plan');
  const tabs = [
    { id: 'plan', title: 'Plan' },
    ...changed.map(({ title, added, removed }) => ({ id: title, title: `${title}  +${added} −${removed}` })),
  ];
  const revision = changed.find(({ title }) => title === tab);
  return (
    <div class="card plan">
      {tabs.length > 1 && (
        <div class="tabs" role="tablist" aria-label="The plan and its revisions" onKeyDown={moveFocus}>
          {tabs.map(({ id, title }) => (
            <button
              key={id}
              type="button"
              role="tab"
              id={`tab-${slug(id)}`}
              aria-selected={tab === id}
              aria-controls="plan-panel"
              tabIndex={tab === id ? 0 : -1}
              onClick={() => setTab(id)}
            >
              {title}
            </button>
          ))}
        </div>
      )}
      <div
        id="plan-panel"
        {...(tabs.length > 1 && { role: 'tabpanel', 'aria-labelledby': `tab-${slug(tab)}`, tabIndex: 0 })}
      >
        {revision === undefined ? (
          <PlanText text={view.plan ?? ''} findings={view.findings} />
        ) : (
          <Diff revision={revision} findings={view.findings} />
        )}
      </div>
    </div>
  );
}

const slug = (id: string) => id.toLowerCase().replaceAll(/\W+/g, '-');

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
function Diff({ revision, findings }: { revision: PlanRevision; findings: readonly FindingView[] }) {
  const lines = diffLines(revision.diff ?? '');
  const worked = findings.filter(({ outcome, outOfScope }) => outcome === 'accepted' && !outOfScope);
  return (
    <>
      {worked.length > 0 && (
        <p class="quiet">
          Worked in:{' '}
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
