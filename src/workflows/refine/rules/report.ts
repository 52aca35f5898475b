import type { MeasuredFinding } from './measurement.ts';
import { findingTitles, type Profile } from './profiles.ts';
import type { Score } from './score.ts';

/** One iteration as the report shows it. */
export type IterationRecord = {
  iteration: number;
  commit: string;
  files: string[];
  score: Score;
  passed: boolean;
  findings: MeasuredFinding[];
  notes: string[];
  contrast: {
    element: string;
    foreground: string;
    background: string;
    actual: number;
    needed: number;
    alternatives: string[];
  }[];
  notMeasured: string[];
  /** Why the browser saw nothing. */
  reason?: string | undefined;
  screenshots: string[];
  criteria: { passed: number; of: number };
  regressions: string[];
};

export type ReportInput = {
  title: string;
  outcome: string;
  profile: Profile;
  threshold: number;
  iterations: readonly IterationRecord[];
  warnings: readonly string[];
};

/** The whole refinement as one page of HTML next to its pictures; nothing is loaded from elsewhere. */
export function renderReport({
  title,
  outcome,
  profile,
  threshold,
  iterations,
  warnings,
}: ReportInput): string {
  const head = [
    '',
    ...profile.dimensions.map((dimension) => dimension.title),
    'Total',
    'Must pass',
    'Criteria',
  ];
  const rows = iterations.map(({ iteration, score, criteria, passed }) => [
    `${iteration}`,
    ...score.dimensions.map(
      (dimension) => number(dimension.score) + (dimension.cappedBy.length > 0 ? ' (capped)' : ''),
    ),
    number(score.total) + (passed ? ' ✓' : ''),
    score.mustPassFailures.map(titleOf).join('; ') || 'all hold',
    `${criteria.passed} of ${criteria.of}`,
  ]);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1100px; padding: 24px; color: #1b1b1b; background: #fff; }
table { border-collapse: collapse; } th, td { border-bottom: 1px solid #ccc; padding: 4px 12px; text-align: left; vertical-align: top; }
figure { display: inline-block; margin: 0 16px 16px 0; vertical-align: top; } img { border: 1px solid #ccc; max-height: 480px; max-width: 640px; }
.swatch { display: inline-block; width: 12px; height: 12px; border: 1px solid #666; }
</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p>${escaped(outcome)} Pass threshold ${number(threshold)}.</p>
${list(warnings)}
<table><thead><tr>${head.map((cell) => `<th scope="col">${escaped(cell)}</th>`).join('')}</tr></thead>
<tbody>${rows.map((row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`).join('\n')}</tbody></table>
${iterations.map(renderIteration).join('\n')}
</body>
</html>
`;
}

function renderIteration(record: IterationRecord): string {
  const {
    iteration,
    commit,
    files,
    findings,
    notes,
    contrast,
    notMeasured,
    reason,
    screenshots,
    regressions,
  } = record;
  const pairs = contrast.map(
    ({ element, foreground, background, actual, needed, alternatives }) =>
      `${element}: ${foreground} on ${background} is ${actual}:1, needed ${needed}:1; these pass: ${alternatives.join(', ')}`,
  );
  return `<section>
<h2>Iteration ${iteration}</h2>
<p>${escaped(`${files.length} files changed, commit ${commit.slice(0, 12)}.`)}${
    reason === undefined ? '' : ` ${escaped(`Not measured: ${reason}.`)}`
  }</p>
${screenshots.map((name) => `<figure><img src="${escaped(name)}" alt="${escaped(`The page after iteration ${iteration}, ${widthOf(name)} px wide`)}"><figcaption>${widthOf(name)} px</figcaption></figure>`).join('\n')}
${list([
  ...findings.map(({ id, detail }) => `${findingTitles[id]}: ${detail}`),
  ...pairs,
  ...regressions.map((id) => `${id} had passed and does not any more`),
  ...notes,
  ...(notMeasured.length > 0 ? [`not measured: ${notMeasured.join(', ')}`] : []),
])}
</section>`;
}

/** The same in short, for the terminal and for people who read files. */
export function renderSummary({
  title,
  outcome,
  iterations,
  threshold,
  profile,
  warnings,
}: ReportInput): string {
  const titles = profile.dimensions.map((dimension) => dimension.title);
  const rows = iterations.map(({ iteration, score, screenshots }) =>
    [
      iteration,
      ...score.dimensions.map((dimension) => number(dimension.score)),
      number(score.total),
      score.mustPassFailures.map(titleOf).join('; ') || 'all hold',
      screenshots.map((name) => `![${widthOf(name)} px](${name})`).join(' ') || 'not measured',
    ].join(' | '),
  );
  const head = ['Iteration', ...titles, 'Total', 'Must pass', 'Pictures'];
  return [
    `# ${title}`,
    '',
    `${outcome} Pass threshold ${number(threshold)}.`,
    '',
    ...warnings.flatMap((warning) => [`- ${warning}`]),
    ...(warnings.length > 0 ? [''] : []),
    `| ${head.join(' | ')} |`,
    `|${head.map(() => ' --- ').join('|')}|`,
    ...rows.map((row) => `| ${row} |`),
    '',
  ].join('\n');
}

function titleOf(failure: string): string {
  return (findingTitles as Readonly<Record<string, string>>)[failure] ?? failure;
}

const number = (value: number) => value.toFixed(2);
const widthOf = (name: string) => /-(\d+)\.png$/.exec(name)?.[1] ?? '';
const list = (lines: readonly string[]) =>
  lines.length === 0 ? '' : `<ul>${lines.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>`;

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
