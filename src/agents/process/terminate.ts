import { setTimeout as sleep } from 'node:timers/promises';
import { defaultLimits } from './limits.ts';
import type { ProcessRow } from './process-table.ts';
import { findTree, type TreeRoot } from './process-tree.ts';

/** SIGTERM to all, the grace, SIGKILL to what is left, until nothing is left. Answers what could not be ended. */
export async function endTree(
  root: TreeRoot,
  graceMs: number = defaultLimits.termGraceMs,
): Promise<ProcessRow[]> {
  let tree = findTree(root);
  // The jail's own processes would take the agent down at once; they end when it does.
  for (const row of tree) if (row.name !== 'bwrap') signalProcess(row.pid, 'SIGTERM');
  for (let waited = 0; tree.length > 0 && waited < graceMs; waited += 50) {
    await sleep(50);
    tree = findTree(root);
  }
  for (let round = 0; tree.length > 0 && round < 40; round += 1) {
    for (const row of tree) signalProcess(row.pid, 'SIGKILL');
    await sleep(25);
    tree = findTree(root);
  }
  return tree;
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has gone in the meantime, which is what was wanted.
  }
}
