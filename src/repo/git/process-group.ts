import type { ChildProcess } from 'node:child_process';

/** How long programs get to put away their lock files once they were told to leave. */
const graceMs = 2000;

/** Tells a program that leads a group, and all that it started, to leave; what stays is ended after a grace. */
export function endGroup(leader: ChildProcess): void {
  signalGroup(leader, 'SIGTERM');
  const last = setTimeout(() => signalGroup(leader, 'SIGKILL'), graceMs);
  leader.once('exit', () => {
    clearTimeout(last);
    signalGroup(leader, 'SIGKILL');
  });
}

const bound = new Set<ChildProcess>();
let isListening = false;

/** A group of its own does not hear of Ctrl-C and would outlive the program: this one is told to leave when the program does. */
export function endWithProgram(leader: ChildProcess): void {
  bound.add(leader);
  leader.once('close', () => bound.delete(leader));
  if (isListening) return;
  isListening = true;
  process.on('exit', () => {
    for (const each of bound) signalGroup(each, 'SIGTERM');
  });
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // All of it has gone in the meantime, which is what was wanted.
  }
}
