import { outline } from '../../../base/markdown/sections.ts';
import type { FeatureMeta } from '../../../prompts/feature/meta.ts';
import { oneLine } from './history.ts';
import { phases } from './phases.ts';
import type { KeptWaiver } from './waiver-file.ts';

export type PullRequestFacts = {
  feature: string;
  meta: FeatureMeta;
  /** `spec.md`. */
  spec: string;
  /** `implementation-log.md`. */
  log: string;
  waivers: readonly KeptWaiver[];
  /** What the tests of the project came to. */
  checks: string;
};

const mostLines = 60;

/** §2B: the text of a pull request, made from the records of the feature; its first line is the title. */
export function renderPullRequest({ feature, meta, spec, log, waivers, checks }: PullRequestFacts): string {
  const done = [...log.matchAll(/^## Task ([^\n]+)$/gm)].map(([, task = '']) => `- Task ${oneLine(task)}`);
  const reviews = phases.flatMap((phase) => {
    const record = meta.phases[phase];
    if (record?.completed === undefined || record.iterations === undefined || record.iterations === 0)
      return [];
    return [`- ${phase}: ${record.iterations} review ${record.iterations === 1 ? 'round' : 'rounds'}`];
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
    ['What was done', done],
    ['How it was reviewed', [...reviews, `- tests: ${oneLine(checks)}`]],
    ['Open notes of reviewers', notes],
    ['Accepted as it is', accepted],
  ];
  return [
    `# ${titleOf(feature, spec)}`,
    '',
    `Feature ${feature}; specification, design, plan and tasks stand in its folder.`,
    '',
    ...sections.flatMap(([heading, lines]) =>
      lines.length === 0 ? [] : [`## ${heading}`, '', ...bounded(lines), ''],
    ),
  ].join('\n');
}

/** The heading of the specification says it better than a folder name, unless it only says what kind of document it is. */
export function titleOf(feature: string, spec: string): string {
  const heading = outline(spec)[0]?.title ?? '';
  const said = oneLine(heading.replace(/^(?:feature )?spec(?:ification)?\b[\s:–—-]*/i, '')).slice(0, 100);
  return said === '' ? feature.replace(/^\d+-/, '').replaceAll('-', ' ') : said;
}

function bounded(lines: readonly string[]): string[] {
  const rest = lines.length - mostLines;
  return rest <= 0 ? [...lines] : [...lines.slice(0, mostLines), `- and ${rest} more`];
}
