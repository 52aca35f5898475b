import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { clearAway } from '../clear-away.ts';
import { optionalProgram, systemPath } from './optional-programs.ts';
import { program } from './program.ts';

const run = promisify(execFile);

/** A real terminal of a given size with the built program in it. */
export type Screen = {
  /** What a person sees now, without the blanks at the ends of lines. */
  text(): Promise<string>;
  /** The same with what has scrolled away; with escape sequences when they are asked for. */
  history(escapes?: boolean): Promise<string>;
  /** Everything the program has written, byte for byte; all of it once it has ended. */
  raw(): string;
  /** Resolves with the screen as soon as it shows the text. */
  shows(wanted: RegExp): Promise<string>;
  keys(...names: string[]): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  cursorIsVisible(): Promise<boolean>;
  /** The exit code of the program, once it is over. */
  ended(): Promise<number>;
  close(): Promise<void>;
};

export const hasTmux = optionalProgram('tmux') !== undefined;

export async function openScreen(
  words: readonly string[],
  options: {
    cwd: string;
    columns: number;
    rows: number;
    env?: Record<string, string>;
    node?: readonly string[];
  },
): Promise<Screen> {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-screen-'));
  const tmux = (...args: string[]) =>
    run('tmux', ['-S', path.join(folder, 'socket'), '-f', '/dev/null', ...args]);
  const env = {
    PATH: systemPath,
    HOME: path.join(options.cwd, '.home'),
    TERM: 'screen-256color',
    LANG: 'C.UTF-8',
    ...options.env,
  };
  const record = path.join(folder, 'raw');
  const size = ['-x', String(options.columns), '-y', String(options.rows)];
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  // The program waits for a line, so that everything it writes is recorded.
  // Other than bash, sh would die of the Ctrl-C that the program handles.
  const shell = 'trap : INT; read -r go; "$@"; echo "[exit $?]"; exec cat';
  await tmux(
    'new-session',
    '-d',
    ...size,
    '-c',
    options.cwd,
    'env',
    '-i',
    ...variables,
    'sh',
    '-c',
    shell,
    'sh',
    process.execPath,
    ...(options.node ?? []),
    program,
    ...words,
  );
  await tmux('set-option', '-g', 'history-limit', '5000');
  await tmux('pipe-pane', '-o', `cat > ${record}`);
  await tmux('send-keys', 'Enter');
  const capture = async (...flags: string[]) => {
    const { stdout } = await tmux('capture-pane', '-p', ...flags);
    return stdout.replace(/ +$/gm, '').trimEnd();
  };
  const shows = async (wanted: RegExp, look = () => capture()) => {
    for (let waited = 0; ; waited += 50) {
      const text = await look();
      if (wanted.test(text)) return text;
      if (waited > 60_000) throw new Error(`the screen never showed ${wanted}:\n${text}`);
      await sleep(50);
    }
  };
  const history = (escapes = false) => capture('-S', '-', ...(escapes ? ['-e'] : []));
  return {
    text: () => capture(),
    history,
    raw: () => readFileSync(record, 'utf8'),
    shows,
    async keys(...names) {
      await tmux('send-keys', ...names);
    },
    async resize(columns, rows) {
      await tmux('resize-window', '-x', String(columns), '-y', String(rows));
    },
    async cursorIsVisible() {
      return (await tmux('display-message', '-p', '#{cursor_flag}')).stdout.trim() === '1';
    },
    async ended() {
      const text = await shows(/^\[exit \d+\]$/m, () => history());
      // The recording comes after the screen.
      await shows(/\[exit \d+\]/, async () => (existsSync(record) ? readFileSync(record, 'utf8') : ''));
      return Number(/^\[exit (\d+)\]$/m.exec(text)?.[1]);
    },
    async close() {
      await tmux('kill-server').catch(() => {});
      clearAway(folder);
    },
  };
}
