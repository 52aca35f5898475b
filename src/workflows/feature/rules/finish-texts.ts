import { outline } from '../../../base/markdown/sections.ts';
import { counted } from '../../../base/text/strings.ts';
import type { FeatureMeta } from '../../../prompts/feature/meta.ts';
import type { MarkerCount } from '../../../prompts/markers.ts';
import { type DispatchRecord, dispatchRates } from '../../../prompts/rates.ts';
import { oneLine, type ReviewRecord } from './history.ts';
import { phases } from './phases.ts';
import type { Waiver } from './waivers.ts';

export type RetroFacts = {
  feature: string;
  meta: FeatureMeta;
  reviews: readonly ReviewRecord[];
  dispatches: readonly DispatchRecord[];
  markers: MarkerCount;
  waivers: readonly Waiver[];
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
      ...(lines.length === 0 ? ['- nothing recorded'] : lines.map((line) => `- ${line}`)),
      '',
    ]),
  ].join('\n');
}

function observe({ meta, dispatches }: RetroFacts): string[] {
  const rounds = phases.flatMap((phase) => {
    const record = meta.phases[phase];
    if (record?.started === undefined) return [];
    const ended = record.completed === undefined ? 'not completed' : `completed ${record.completed}`;
    const count = record.iterations === undefined ? '' : `, ${counted(record.iterations, 'iteration')}`;
    return [`${phase}: ${ended}${count}`];
  });
  const skipped = meta.skippedPhases.map(({ phase }) => `${phase}: skipped`);
  const resumed = dispatches.filter(({ kind }) => kind === 'resumed').length;
  const tokens = dispatches.reduce((sum, { promptTokens = 0 }) => sum + promptTokens, 0);
  const calls =
    dispatches.length === 0
      ? []
      : [`${counted(dispatches.length, 'call')}, ${resumed} in a continued session, ${tokens} prompt tokens`];
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
          `${counted(reviews.length, 'review')}: ${counted(count('blocker'), 'blocker')}, ${counted(count('warning'), 'warning')}, ${counted(count('suggestion'), 'suggestion')}`,
          `most often: ${categories.map(([category, most]) => `${oneLine(category)} ${most}`).join(', ') || 'no issue'}`,
          `reviewer and gate differed ${counted(differing.length, 'time')}`,
        ]),
    ...waivers.map(
      ({ issue, fingerprint, reason }) => `waived: ${oneLine(issue ?? fingerprint)} (${oneLine(reason)})`,
    ),
    ...(markers.lazyLoadWarnings + markers.resumeFallbacks === 0
      ? []
      : [
          `${counted(markers.lazyLoadWarnings, 'lazy-load warning')}, ${counted(markers.resumeFallbacks, 'resume fallback')}`,
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
  const words = ['Deviations', 'Concerns'].flatMap((field) =>
    (log.slice(0, 4_000_000).match(new RegExp(`^- \\*\\*${field}:\\*\\* .+$`, 'gm')) ?? [])
      .map((line) => line.replace(/^- \*\*\w+:\*\* /, ''))
      .filter((value) => !/^none\.?$/i.test(value.trim()))
      .map((value) => `${field.toLowerCase().replace(/s$/, '')}: ${oneLine(value)}`),
  );
  return [
    ...notes,
    ...words,
    ...(unticked === 0 ? [] : [`${counted(unticked, 'box', 'boxes')} of tasks.md not ticked`]),
  ];
}

export type PullRequestFacts = {
  feature: string;
  meta: FeatureMeta;
  /** `spec.md`. */
  spec: string;
  /** `implementation-log.md`. */
  log: string;
  waivers: readonly Waiver[];
  /** What the tests of the project came to. */
  checks: string;
};

const maxLines = 60;

/** §2B: the text of a pull request, made from the records of the feature; its first line is the title. */
export function renderPullRequest({ feature, meta, spec, log, waivers, checks }: PullRequestFacts): string {
  const done = [...log.matchAll(/^## Task ([^\n]+)$/gm)].map(([, task = '']) => `- Task ${oneLine(task)}`);
  const reviews = phases.flatMap((phase) => {
    const record = meta.phases[phase];
    if (record?.completed === undefined || record.iterations === undefined || record.iterations === 0)
      return [];
    return [`- ${phase}: ${counted(record.iterations, 'review round')}`];
  });
  const notes = phases.flatMap((phase) =>
    (meta.phases[phase]?.reviewerNotes ?? []).map(
      ({ severity, description }) => `- [${severity}] ${phase}: ${oneLine(description).slice(0, 300)}`,
    ),
  );
  const accepted = waivers.map(
    ({ fingerprint, issue, reason }) => `- ${oneLine(issue ?? fingerprint)} (${oneLine(reason)})`,
  );
  const sections: [string, readonly string[]][] = [
    ['Changes', done],
    ['How it was reviewed', [...reviews, `- tests: ${oneLine(checks)}`]],
    ['Open notes of reviewers', notes],
    ['Accepted unchanged', accepted],
  ];
  return [
    `# ${titleOf(feature, spec)}`,
    '',
    `Feature ${feature}; its folder holds the specification, design, plan and tasks.`,
    '',
    ...sections.flatMap(([heading, lines]) =>
      lines.length === 0 ? [] : [`## ${heading}`, '', ...bounded(lines), ''],
    ),
  ].join('\n');
}

/** The heading of the specification, unless it only names the kind of document; else the folder name. */
export function titleOf(feature: string, spec: string): string {
  const heading = outline(spec)[0]?.title ?? '';
  const words = oneLine(heading.replace(/^(?:feature )?spec(?:ification)?\b[\s:–—-]*/i, '')).slice(0, 100);
  return words === '' ? feature.replace(/^\d+-/, '').replaceAll('-', ' ') : words;
}

function bounded(lines: readonly string[]): string[] {
  const rest = lines.length - maxLines;
  return rest <= 0 ? [...lines] : [...lines.slice(0, maxLines), `- and ${rest} more`];
}
