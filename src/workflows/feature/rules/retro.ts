import type { FeatureMeta } from '../../../prompts/feature/meta.ts';
import type { MarkerCount } from '../../../prompts/markers.ts';
import { type DispatchRecord, dispatchRates } from '../../../prompts/rates.ts';
import { oneLine } from './history.ts';
import { phases } from './phases.ts';
import type { ReviewRecord } from './review-log.ts';
import type { KeptWaiver } from './waiver-file.ts';

export type RetroFacts = {
  feature: string;
  meta: FeatureMeta;
  reviews: readonly ReviewRecord[];
  dispatches: readonly DispatchRecord[];
  markers: MarkerCount;
  waivers: readonly KeptWaiver[];
  /** `implementation-log.md`. */
  log: string;
  /** Tasks whose box is not ticked. */
  unticked: number;
};

/** §2B: what the records say about how a feature went: observe, review, tune, act. Counted, not judged. */
export function renderRetro(facts: RetroFacts): string {
  const sections = [
    ['Observe', observe(facts)],
    ['Review', review(facts)],
    ['Tune', tune(facts)],
    ['Act', act(facts)],
  ] as const;
  return [
    `# Retrospective: ${facts.feature}`,
    '',
    'Made from review history, implementation log and call log.',
    '',
    ...sections.flatMap(([heading, lines]) => [
      `## ${heading}`,
      '',
      ...(lines.length === 0 ? ['- nothing on record'] : lines.map((line) => `- ${line}`)),
      '',
    ]),
  ].join('\n');
}

function observe({ meta, dispatches }: RetroFacts): string[] {
  const rounds = phases.flatMap((phase) => {
    const record = meta.phases[phase];
    if (record?.started === undefined) return [];
    const ended = record.completed === undefined ? 'not completed' : `completed ${record.completed}`;
    const count = record.iterations === undefined ? '' : `, ${times(record.iterations, 'iteration')}`;
    return [`${phase}: ${ended}${count}`];
  });
  const skipped = meta.skippedPhases.map(({ phase }) => `${phase}: skipped`);
  const resumed = dispatches.filter(({ kind }) => kind === 'resumed').length;
  const tokens = dispatches.reduce((sum, { promptTokens = 0 }) => sum + promptTokens, 0);
  const calls =
    dispatches.length === 0
      ? []
      : [`${times(dispatches.length, 'call')}, ${resumed} in a continued session, ${tokens} prompt tokens`];
  return [...rounds, ...skipped, ...calls];
}

function review({ reviews, waivers, markers }: RetroFacts): string[] {
  const issues = reviews.flatMap((record) => record.issues);
  const count = (severity: string) => issues.filter((issue) => issue.severity === severity).length;
  const differing = reviews.filter(({ reviewer, gate }) => (reviewer === 'approved') !== (gate === 'pass'));
  const categories = [...Map.groupBy(issues, ({ category }) => category ?? 'other')]
    .map(([category, list]) => [category, list.length] as const)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 5);
  return [
    ...(reviews.length === 0
      ? []
      : [
          `${times(reviews.length, 'review')}: ${times(count('blocker'), 'blocker')}, ${times(count('warning'), 'warning')}, ${times(count('suggestion'), 'suggestion')}`,
          `most often: ${categories.map(([category, most]) => `${oneLine(category)} ${most}`).join(', ') || 'no issue'}`,
          `reviewer and gate differed ${times(differing.length, 'time')}`,
        ]),
    ...waivers.map(
      ({ issue, fingerprint, reason }) => `waived: ${oneLine(issue ?? fingerprint)} (${oneLine(reason)})`,
    ),
    ...(markers.lazyLoadWarnings + markers.resumeFallbacks === 0
      ? []
      : [
          `${times(markers.lazyLoadWarnings, 'lazy-load warning')}, ${times(markers.resumeFallbacks, 'resume fallback')}`,
        ]),
  ];
}

function tune({ meta, dispatches }: RetroFacts): string[] {
  const alarms = dispatchRates(dispatches)
    .filter(({ alarm }) => alarm)
    .map(({ name, count, of, limit }) => `${name}: ${count} of ${of}, above ${Math.round(limit * 100)} %`);
  const long = phases
    .filter((phase) => (meta.phases[phase]?.iterations ?? 0) >= 5)
    .map((phase) => `${phase} took ${meta.phases[phase]?.iterations} iterations`);
  return [...alarms, ...long];
}

function act({ meta, log, unticked }: RetroFacts): string[] {
  const notes = phases.flatMap((phase) =>
    (meta.phases[phase]?.reviewerNotes ?? []).map(
      ({ severity, description }) => `open after ${phase}: [${severity}] ${oneLine(description)}`,
    ),
  );
  const said = ['Deviations', 'Concerns'].flatMap((field) =>
    (log.slice(0, 4_000_000).match(new RegExp(`^- \\*\\*${field}:\\*\\* .+$`, 'gm')) ?? [])
      .map((line) => line.replace(/^- \*\*\w+:\*\* /, ''))
      .filter((value) => !/^none\.?$/i.test(value.trim()))
      .map((value) => `${field.toLowerCase().replace(/s$/, '')}: ${oneLine(value)}`),
  );
  return [...notes, ...said, ...(unticked === 0 ? [] : [`${times(unticked, 'box')} of tasks.md not ticked`])];
}

function times(count: number, word: string): string {
  const plural = word.endsWith('x') ? `${word}es` : `${word}s`;
  return `${count} ${count === 1 ? word : plural}`;
}
