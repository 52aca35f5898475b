import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { SynthesisView } from '../../src/surfaces/web/view/run-view.ts';
import { Agents } from './chips.tsx';
import { type Place, Places } from './cited.tsx';
import { Guarded } from './guarded.tsx';
import { LaneDialog } from './lane-dialog.tsx';
import { Pictures } from './picture.tsx';
import { RunHead } from './run-head.tsx';
import { type RunStore, useRunStore } from './run-store.ts';
import { SectionNav } from './section-nav.tsx';
import { Artifacts } from './sections/artifacts.tsx';
import { Costs } from './sections/costs.tsx';
import { Debates } from './sections/debates.tsx';
import { Diagram } from './sections/diagram.tsx';
import { Document } from './sections/document.tsx';
import { Findings } from './sections/findings.tsx';
import { Log } from './sections/log.tsx';
import { Plan } from './sections/plan.tsx';
import { Questions } from './sections/questions.tsx';
import { Sketches } from './sections/sketches.tsx';
import { Synthesis } from './sections/synthesis.tsx';
import { TimelineSection } from './sections/timeline.tsx';
import { Votes } from './sections/votes.tsx';
import type { Source } from './source.ts';
import { SourceDialog } from './source-dialog.tsx';

type Shown = { id: string; title: string; content: ComponentChildren };

export function RunPage({
  source,
  run,
  section,
}: {
  source: Source;
  run: string;
  section: string | undefined;
}) {
  const store = useRunStore(source, run);
  const [place, setPlace] = useState<Place>();
  const [lane, setLane] = useState<string>();
  const { snapshot, timeline, problem } = store;
  const { agents } = timeline;
  useEffect(() => {
    if (snapshot !== undefined) document.title = `${snapshot.title} · Charrette`;
  }, [snapshot?.title]);
  const pictures = useCallback((name: string) => source.picture(run, name), [source, run]);
  const places = useMemo(
    () => ({ open: setPlace, read: (cited: Place) => source.lines(run, cited) }),
    [source, run],
  );
  const sections = sectionsOf(source, store, run, setLane);
  useEffect(() => {
    if (section !== undefined && snapshot !== undefined) document.getElementById(section)?.scrollIntoView();
  }, [section, snapshot === undefined]);
  if (snapshot === undefined)
    return (
      <div class="page" aria-busy={problem === undefined}>
        {problem !== undefined && (
          <p class="notice bad" role="alert">
            {problem}
          </p>
        )}
      </div>
    );
  return (
    <Agents.Provider value={agents}>
      <Pictures.Provider value={pictures}>
        <Places.Provider value={snapshot.baseCommit === undefined ? undefined : places}>
          <div class="page">
            <Guarded>
              <RunHead source={source} store={store} snapshot={snapshot} />
            </Guarded>
            <Guarded>
              <Questions source={source} store={store} snapshot={snapshot} />
            </Guarded>
            <div class="columns">
              <SectionNav run={run} sections={sections} />
              <div class="sections">
                {sections.map(({ id, title, content }) => (
                  <section key={id} id={id} aria-labelledby={`${id}-title`} tabIndex={-1}>
                    <h2 id={`${id}-title`}>{title}</h2>
                    <Guarded>{content}</Guarded>
                  </section>
                ))}
              </div>
            </div>
          </div>
          {place !== undefined && (
            <SourceDialog source={source} run={run} place={place} onClose={() => setPlace(undefined)} />
          )}
          {lane !== undefined && (
            <LaneDialog source={source} run={run} lane={lane} onClose={() => setLane(undefined)} />
          )}
        </Places.Provider>
      </Pictures.Provider>
    </Agents.Provider>
  );
}

/** A design by one alone has nothing to bring together. */
function hasWords(synthesis: SynthesisView | undefined): boolean {
  if (synthesis === undefined) return false;
  const { summary, agreements, divergences, ideas } = synthesis;
  return summary.trim() !== '' || agreements.length + divergences.length + ideas.length > 0;
}

/** The result first, then how it came about. While a run works, its lanes are first. */
function sectionsOf(source: Source, store: RunStore, run: string, openLane: (lane: string) => void): Shown[] {
  const { snapshot, timeline } = store;
  if (snapshot === undefined) return [];
  const { view } = snapshot;
  const shown = (when: boolean, id: string, title: string, content: () => ComponentChildren): Shown[] =>
    when ? [{ id, title, content: content() }] : [];
  const inReport = source.report !== undefined;
  const live = (store.state?.status ?? snapshot.status) === 'running';
  const lanes = shown(timeline.groups.size > 0, 'timeline', 'Timeline', () => (
    <TimelineSection store={store} live={live} openLane={inReport ? undefined : openLane} />
  ));
  return [
    ...(live ? lanes : []),
    ...snapshot.documents.map(({ id, title, text }) => ({ id, title, content: <Document text={text} /> })),
    ...shown(view.plan !== undefined, 'plan', 'Plan', () => <Plan view={view} />),
    ...shown(view.diagram !== undefined, 'diagram', 'Architecture', () => (
      <Diagram source={view.diagram ?? ''} />
    )),
    ...shown(view.debates.length > 0, 'debates', 'Decisions', () => <Debates debates={view.debates} />),
    ...shown(view.findings.length > 0, 'findings', 'Findings', () => <Findings findings={view.findings} />),
    ...shown((view.votes?.voters.length ?? 0) > 0, 'votes', 'Votes', () => <Votes view={view} />),
    ...shown(hasWords(view.synthesis), 'synthesis', 'Synthesis', () => (
      <Synthesis synthesis={view.synthesis} sketches={view.sketches} />
    )),
    ...shown(view.sketches.length > 0, 'sketches', 'Sketches', () => <Sketches sketches={view.sketches} />),
    ...(live ? [] : lanes),
    ...shown(snapshot.costs.length > 0, 'cost', 'Cost', () => <Costs costs={snapshot.costs} />),
    ...shown(snapshot.artifacts.length > 0, 'files', 'Files', () => (
      <Artifacts source={source} run={run} artifacts={snapshot.artifacts} />
    )),
    ...shown(timeline.seq > 0, 'log', 'Log', () => <Log store={store} />),
  ];
}
