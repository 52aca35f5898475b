import path from 'node:path';
import { readTextFile } from '../base/files/bounded.ts';
import { isRecord, readJson } from '../base/safe-json.ts';
import { readJudgement } from '../base/schema/judgements.ts';
import { readAccepted } from '../council/outcome-files.ts';
import { readResolutions } from '../council/resolutions.ts';
import { costsBy, describeMoney, readLedger } from '../engine/ledger.ts';
import type { RunDirectory } from '../engine/run-directory.ts';
import type { RunRecord } from '../engine/run-record.ts';
import { type Project, settingsOf } from './project.ts';

/** What a finished design came to, short enough for one screen. */
export type PlanSummary = {
  title: string;
  summary: string;
  files: { action: string; path: string }[];
  /** Contested decisions with what was decided; the votes where there was a vote. */
  decisions: { title: string; resolution: string; votes?: string }[];
  risks: string[];
  /** Findings of the review that the plan follows. */
  accepted: string[];
  calls: number;
  cost: string;
  planFile: string;
  /** False when the run had no agent with a model, which cannot implement the plan either. */
  hasModel: boolean;
};

/** The summary of a design; nothing when its plan cannot be read. */
export async function planSummary(
  project: Project,
  directory: RunDirectory,
  { inputs }: Pick<RunRecord, 'inputs'>,
): Promise<PlanSummary | undefined> {
  const artifact = async (name: string) => (await readTextFile(path.join(directory.artifacts, name))) ?? '';
  const json = readJson(await artifact('plan.json'));
  const judged = readJudgement('plan', json.ok ? json.value : undefined);
  if (!judged.ok) return undefined;
  const { title, summary, files, failureModes } = judged.value;
  const resolved = readResolutions(await artifact('dialectic-resolutions.md'));
  const ledger = readLedger(directory.ledger);
  const { prices } = await settingsOf(project);
  const [money] = costsBy(ledger, () => 'all', prices);
  return {
    title,
    summary,
    files: files.map(({ action, path: file }) => ({ action, path: file })),
    decisions: (resolved.ok ? resolved.resolutions : []).map(({ title: about, resolution, tally }) => ({
      title: about,
      resolution,
      ...(tally === undefined ? {} : { votes: shareOf(tally) }),
    })),
    risks: failureModes.map(({ failure, mitigation }) => `${failure} ${mitigation}`),
    accepted: readAccepted(await artifact('accepted-plan-findings.md')).map((finding) => finding.title),
    calls: ledger.length,
    cost: money === undefined ? '$0' : describeMoney(money),
    planFile: path.join(directory.artifacts, 'plan.txt'),
    hasModel: protocolsIn(inputs).some((protocol) => protocol !== 'static'),
  };
}

/** The record may come with an archive, so its inputs are read with care. */
function protocolsIn(inputs: unknown): unknown[] {
  const roster = isRecord(inputs) ? inputs['roster'] : undefined;
  return Array.isArray(roster)
    ? roster.map((settings) => (isRecord(settings) ? settings['protocol'] : undefined))
    : [];
}

/** The votes for what was decided. */
function shareOf({ thesis, antithesis }: { thesis: number; antithesis: number }): string {
  return `${Math.max(thesis, antithesis)} of ${thesis + antithesis} votes`;
}
