import type { DesignContext, FileReport } from './defaults.ts';

/** A bar per document: `█` is in the block, `░` was left out; the scale is the larger of budget and demand. */
export function explainBudget(context: DesignContext, width = 80): string {
  const { budget, files, dir, outcome } = context;
  const scale = Math.max(budget.tokens * 10, budget.wantedTenths, 1);
  const room = Math.max(10, Math.min(60, width - 46));
  const names = Math.max(8, ...files.map(({ token }) => token.length));
  const rows = files.map((file) => {
    const bar = drawBar(file, (tenths) => Math.round((tenths / scale) * room), room);
    const estimate = file.estimateTenths === undefined ? '' : formatTenths(file.estimateTenths);
    return `  ${file.token.padEnd(names)}  ${bar}  ${estimate.padStart(9)}  ${describe(file)}`.trimEnd();
  });
  const share = Math.round((budget.usedTenths / (budget.tokens * 10)) * 100);
  return [
    `Design documents in ${dir}: ${outcomeWords[outcome]}`,
    '',
    ...(rows.length > 0 ? [...rows, ''] : []),
    `  ${formatTenths(budget.usedTenths)} of ${group(budget.tokens)} tokens used (${share} %), ${formatTenths(budget.wantedTenths)} wanted`,
    `  counted by ${budget.rule}; when it does not fit: ${overflowWords[budget.overflow]}`,
    '',
  ].join('\n');
}

const outcomeWords: Record<DesignContext['outcome'], string> = {
  loaded: 'loaded',
  'gate-closed': 'not loaded, auto_load_on_design_command is false',
  'folder-missing': 'the folder does not exist; run `charrette init --design` to create it',
  'no-candidates': 'none of the files exists',
  'all-placeholders': 'nothing but _TBD_ so far',
  'nothing-readable': 'none could be read',
};

const overflowWords: Record<DesignContext['budget']['overflow'], string> = {
  cut: 'cut at a section, drop what ranks lower',
  drop: 'drop what ranks lowest',
};

function drawBar(file: FileReport, cells: (tenths: number) => number, room: number): string {
  const total = file.estimateTenths ?? 0;
  const kept = file.state === 'whole' ? total : file.state === 'cut' ? keptTenths(file) : 0;
  const [filled, all] = [visible(kept, cells), visible(total, cells)];
  return `${'█'.repeat(Math.min(filled, room))}${'░'.repeat(Math.max(0, Math.min(all, room) - filled))}`.padEnd(
    room,
  );
}

/** Something is never drawn as nothing. */
function visible(tenths: number, cells: (tenths: number) => number): number {
  return tenths === 0 ? 0 : Math.max(1, cells(tenths));
}

function keptTenths(file: FileReport): number {
  return 11 * Math.ceil((file.offset ?? 0) / 4);
}

function describe(file: FileReport): string {
  if (file.state === 'cut')
    return `cut at character ${group(file.offset ?? 0)} of ${group(file.characters ?? 0)}`;
  if (file.state === 'unreadable') return `unreadable: ${file.reason}`;
  if (file.state === 'skipped') return 'skipped, _TBD_ only';
  if (file.state === 'dropped') return 'dropped, over budget';
  return file.state;
}

function formatTenths(tenths: number): string {
  const rest = tenths % 10;
  return `${group(Math.floor(tenths / 10))}${rest === 0 ? '' : `.${rest}`}`;
}

function group(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
