import type { createColors } from 'picocolors';
import stringWidth from 'string-width';
import { untrustedLine } from '../../../base/text/strings.ts';
import type { PlanSummary } from '../../../service/plan-summary.ts';
import { columns as inColumns } from '../help.ts';
import { shorten, wrap } from './fit.ts';

export type Page = { columns: number; colors: ReturnType<typeof createColors> };

/** Lines of each part at most; with headings, blank lines and commands a summary has at most 38. */
const most = { summary: 3, files: 6, decisions: 4, risks: 2, accepted: 3 };

/** A finished design on one screen: what, files, decided points, risks, findings, cost, and what to do next. */
export function summaryLines(plan: PlanSummary, run: string, place: string, page: Page): string[] {
  const { columns, colors } = page;
  const cutTo = (text: string, indent: number) => shorten(untrustedLine(text), columns - indent - 1);
  const part = (title: string, items: readonly string[], limit: number) => {
    if (items.length === 0) return [];
    const more = items.length > limit ? [colors.dim(`  and ${items.length - limit} more`)] : [];
    return ['', colors.bold(title), ...items.slice(0, limit).map((item) => `  ${cutTo(item, 2)}`), ...more];
  };
  const summary = wrap(untrustedLine(plan.summary), columns - 1);
  const cut = summary.length > most.summary ? ' …' : '';
  const next = [
    plan.hasModel
      ? ([`charrette build --run ${run}`, 'implement it'] as const)
      : (['charrette doctor', 'add an agent that can implement it'] as const),
    [`charrette show ${run}`, 'lanes, votes, warnings, artifacts'] as const,
    ['charrette serve', 'the same in the browser'] as const,
  ];
  return [
    colors.bold(cutTo(plan.title, 0)),
    ...summary.slice(0, most.summary - 1),
    ...summary.slice(most.summary - 1, most.summary).map((line) => `${shorten(line, columns - 3)}${cut}`),
    ...part(
      'Files',
      plan.files.map(({ action, path }) => `${action} ${path}`),
      most.files,
    ),
    ...part(
      'Decided',
      plan.decisions.map(
        ({ title, resolution, votes }) =>
          `${title}: ${resolution}${votes === undefined ? '' : ` (${votes})`}`,
      ),
      most.decisions,
    ),
    ...part('Risks', plan.risks, most.risks),
    ...part('Accepted findings', plan.accepted, most.accepted),
    '',
    `Cost  ${cutTo(`${plan.calls} ${plan.calls === 1 ? 'call' : 'calls'}, ${plan.cost}`, 6)}`,
    // A path that does not fit would break in two.
    `Plan  ${stringWidth(place) + 7 > columns ? `charrette plan show ${run}` : place}`,
    'Next',
    ...inColumns(next, columns - 1),
  ];
}
