import { tableEntry } from '../../src/base/safe-json.ts';
import { formatElapsed } from '../../src/base/text/strings.ts';

const whole = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export const count = (value: number): string =>
  value < 10_000 ? whole.format(value) : compact.format(value);

export function money(usd: number): string {
  return usd === 0 ? '$0' : `$${usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`;
}

/** Short times get tenths: most calls of rule-based agents are shorter than a second. */
export function elapsed(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))}ms`;
  return milliseconds < 10_000 ? `${(milliseconds / 1000).toFixed(1)}s` : formatElapsed(milliseconds);
}

export function ago(time: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(time)) / 60_000);
  if (Number.isNaN(minutes)) return '';
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return `${Math.floor(minutes / 1440)} days ago`;
}

export function clock(time: string): string {
  return new Date(time).toLocaleTimeString('en', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
  });
}

/** Names of the steps of a design for people; other workflows name theirs themselves. */
const phaseNames: Readonly<Record<string, string>> = {
  '0': 'Set-up',
  '1': 'Branch',
  '1c': 'Questions',
  '1d': 'Discussion',
  '2a': 'Sketches',
  '2a.5': 'Debates',
  '2b': 'Plan',
  '3': 'Review',
  '3.5': 'Discussion',
  '3b': 'Diagram',
  '4': 'Not taken up',
  '5': 'Hand-over',
  'LP-0': 'Preferences',
  'LP-1': 'Explore',
  'LP-2': 'Clarify',
  'LP-3': 'Plan',
  'LP-4': 'Confirm',
  'LP-5': 'Hand-over',
  'LE-0': 'Preferences',
  LE: 'Execute',
  LV: 'Verify',
};

/** A numbered phase is called as its own line calls it. */
export function phaseName(phase: string, line = ''): string {
  const own = /^phase-\d+$/.test(phase) ? /Phase \d+: .+?(?= skipped:|$)/.exec(line)?.[0] : undefined;
  const name = tableEntry(phaseNames, phase) ?? own ?? phase.replaceAll(/[-_]/g, ' ');
  return name === '' ? 'Other' : name.charAt(0).toUpperCase() + name.slice(1);
}

const taskNames: Readonly<Record<string, string>> = {
  'debate-thesis': 'defence',
  'debate-antithesis': 'defence',
  'plan-review': 'review',
  'merge-findings': 'merging findings',
  'revise-plan': 'revision',
};

export const taskName = (task: string): string => tableEntry(taskNames, task) ?? task.replaceAll('-', ' ');

const statusNames: Readonly<Record<string, string>> = {
  queued: 'Waiting for a worker',
  running: 'Running',
  paused: 'Waiting for you',
  done: 'Done',
  'not-accepted': 'Not accepted',
  failed: 'Failed',
  cancelled: 'Cancelled',
  stopped: 'Stopped',
  interrupted: 'Interrupted',
  unreadable: 'Unreadable',
};

export const statusName = (status: string): string => statusNames[status] ?? status;
