import { isRecord } from '../safe-json.ts';
import type { GateResult } from './gate.ts';
import type { FeatureMeta } from './meta.ts';
import { modePhases, type Phase, phases, phaseTable } from './phases.ts';

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

export type BackwardDecision =
  | { kind: 'none' }
  /** It is said that the wish was not followed, and why. */
  | { kind: 'ignored'; reason: string }
  | { kind: 'ask'; to: Phase };

/** Words with which reviewers say that there is nothing to go back to. */
const nothing = ['none', 'null', 'no', 'n/a', 'false', '-'];
const names: Readonly<Record<string, Phase>> = {
  spec: 'specify',
  specification: 'specify',
  plan: 'plan',
  tasks: 'tasks',
};

const mostFindings = 50;
const mostCharacters = 2_000;
/** §2F: so many travels between two phases need no proof that they help. */
const freeTrips = 2;

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

export type BackwardQuestion = {
  from: Phase;
  wish: BackwardWish | undefined;
  result: GateResult;
  meta: Pick<FeatureMeta, 'mode' | 'backwardTrips'>;
};

/** §2F: whether a travel back is worth a question. Two phases that send each other work without getting anywhere are parted. */
export function decideBackward({ from, wish, result, meta }: BackwardQuestion): BackwardDecision {
  if (wish === undefined) return { kind: 'none' };
  if (result.gate === 'pass') return { kind: 'ignored', reason: 'the gate passed' };
  const to = earlierPhase(wish.to, from, meta.mode);
  if (to === undefined) return { kind: 'ignored', reason: `${wish.to} is no earlier phase with a document` };
  const trips = meta.backwardTrips.filter((trip) => trip.from === from && trip.to === to);
  const last = trips.at(-1);
  if (trips.length >= freeTrips && last !== undefined && result.open.length >= last.issues) {
    const issues = `${last.issues} issues then, ${result.open.length} now`;
    return { kind: 'ignored', reason: `${trips.length} travels to ${to} have not helped (${issues})` };
  }
  return { kind: 'ask', to };
}

function earlierPhase(word: string, from: Phase, mode: FeatureMeta['mode'] = 'standard'): Phase | undefined {
  const lowered = word.toLowerCase().replace(/\.md$/, '');
  const named = Object.hasOwn(names, lowered) ? names[lowered] : undefined;
  const phase = named ?? modePhases[mode].find((candidate) => candidate === lowered);
  if (phase === undefined || phase === 'brainstorm' || phaseTable[phase].produces === undefined)
    return undefined;
  return modePhases[mode].includes(phase) && phases.indexOf(phase) < phases.indexOf(from) ? phase : undefined;
}

/** What the author of the earlier document has to resolve, one line each. */
export function backwardIssues({ reason, findings }: Pick<BackwardWish, 'reason' | 'findings'>): string[] {
  const lines = findings.map(({ issue, artifact, section, suggestion }) => {
    const place = [artifact, section].filter((word) => word !== undefined).join(', ');
    const at = place === '' ? '' : ` (at: ${place})`;
    return `[blocker] ${issue}${at}${suggestion === undefined ? '' : ` Suggestion: ${suggestion}`}`;
  });
  return lines.length > 0 || reason === undefined ? lines : [`[blocker] ${reason}`];
}
