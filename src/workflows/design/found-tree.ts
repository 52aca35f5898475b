import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../base/safe-json.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { readRunRecord, updateRunRecord } from '../../engine/run-record.ts';
import { probeTree, untrackedSnapshot } from '../../repo/git/tree-probe.ts';

/** What was untracked or changed before agents were at work; later probes leave it alone. Absent: git did not say. */
export type FoundTree = { untracked?: string[] | undefined; changed: string[] };

export async function findTree(project: string): Promise<FoundTree> {
  const untracked = await untrackedSnapshot(project);
  const { status, tracked } = await probeTree(project, { mode: 'checkpoint' });
  // Without a list nothing may count as new: recovery would remove what a person has not committed yet.
  return { untracked: status === 'unknown' ? undefined : untracked, changed: tracked };
}

/** The inputs of a run that comes to another clone: what is uncommitted there is as little the work of its agents. */
export async function withTreeOf(project: string, inputs: unknown): Promise<unknown> {
  if (!isRecord(inputs) || !isRecord(inputs['entry'])) return inputs;
  return { ...inputs, entry: { ...inputs['entry'], ...(await findTree(project)) } };
}

/** Puts the tree on record as it is now, for a run whose agents have not been at work in it. */
export async function noteTree(directory: RunDirectory, project: string): Promise<void> {
  const { inputs } = await readRunRecord(directory);
  if (!isRecord(inputs) || !isRecord(inputs['entry'])) return;
  const found = await findTree(project);
  const entry = { ...inputs['entry'], ...found };
  // Where git says nothing, what it said before is as good.
  if (found.untracked === undefined || isDeepStrictEqual(entry, inputs['entry'])) return;
  await updateRunRecord(directory, { inputs: { ...inputs, entry } });
}

/** The tree as the run found it where it is now; its journal has the one of the clone in which it was made. */
export async function foundTree(directory: RunDirectory, first: FoundTree): Promise<FoundTree> {
  const { inputs } = await readRunRecord(directory);
  const entry = isRecord(inputs) ? inputs['entry'] : undefined;
  return isFoundTree(entry) ? entry : first;
}

function isFoundTree(value: unknown): value is FoundTree {
  return (
    isRecord(value) &&
    isTexts(value['changed']) &&
    (value['untracked'] === undefined || isTexts(value['untracked']))
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
