import type { createColors } from 'picocolors';

export type Colors = ReturnType<typeof createColors>;

/** Signs of one column each. */
export type Marks = {
  run: string;
  done: string;
  failed: string;
  skipped: string;
  stopped: string;
  queued: string;
  warning: string;
  note: string;
  question: string;
  choice: string;
  more: string;
  cut: string;
  between: string;
  /** Frames of the progress mark; without motion only the first is shown. */
  turning: readonly string[];
};

const unicode: Marks = {
  run: '◆',
  done: '✔',
  failed: '✖',
  skipped: '↷',
  stopped: '◼',
  queued: '○',
  warning: '!',
  note: '·',
  question: '?',
  choice: '›',
  more: '⋮',
  cut: '…',
  between: ' · ',
  turning: ['◐', '◓', '◑', '◒'],
};

const ascii: Marks = {
  run: '#',
  done: '+',
  failed: 'x',
  skipped: '-',
  stopped: '=',
  queued: 'o',
  warning: '!',
  note: '.',
  question: '?',
  choice: '>',
  more: ':',
  cut: '~',
  between: ' | ',
  turning: ['|', '/', '-', '\\'],
};

/** The Linux console and the C locale draw no more than ASCII. */
export function marksFor(env: NodeJS.ProcessEnv): Marks {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return env['TERM'] === 'linux' || locale === 'C' || locale === 'POSIX' ? ascii : unicode;
}
