import { isRecord } from '../../base/safe-json.ts';

/** §2D: what a reviewer says about a fault that began in an earlier phase. */
export type BackwardWish = {
  /** As the reviewer wrote it. */
  to: string;
  reason?: string;
  findings: readonly BackwardFinding[];
  downstreamImpact?: string;
};

export type BackwardFinding = { issue: string; artifact?: string; section?: string; suggestion?: string };

/** One travel that was made, kept in the state of the feature. */
export type BackwardTrip = { from: string; to: string; issues: number };

/** Words with which reviewers say that there is nothing to go back to. */
const nothing = ['none', 'null', 'no', 'n/a', 'false', '-'];
const mostFindings = 50;
const mostCharacters = 2_000;

/** Reads the wish out of a reviewer's answer; absent when there is none. */
export function readBackwardWish(value: Readonly<Record<string, unknown>>): BackwardWish | undefined {
  const to = textOf(value['backward_to']);
  if (to === undefined || nothing.includes(to.toLowerCase())) return undefined;
  const context = isRecord(value['backward_context']) ? value['backward_context'] : {};
  const list = Array.isArray(context['findings']) ? context['findings'] : [];
  const reason = textOf(value['backward_reason']);
  const downstreamImpact = textOf(context['downstream_impact']);
  return {
    to,
    findings: list.slice(0, mostFindings).flatMap(readFinding),
    ...(reason === undefined ? {} : { reason }),
    ...(downstreamImpact === undefined ? {} : { downstreamImpact }),
  };
}

function readFinding(raw: unknown): BackwardFinding[] {
  if (typeof raw === 'string')
    return raw.trim() === '' ? [] : [{ issue: raw.trim().slice(0, mostCharacters) }];
  const issue = isRecord(raw) ? (textOf(raw['issue']) ?? textOf(raw['description'])) : undefined;
  if (issue === undefined || !isRecord(raw)) return [];
  const rest = ['artifact', 'section', 'suggestion'].flatMap((key) => {
    const text = textOf(raw[key]);
    return text === undefined ? [] : [[key, text]];
  });
  return [{ issue, ...Object.fromEntries(rest) }];
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  return value.trim().slice(0, mostCharacters).toWellFormed();
}
