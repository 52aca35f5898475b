// `npm run pictures` renews what README and docs/how-to/web.md show; this part: a real design of the example shop by a scripted panel
// of three, in a real terminal (tmux). It records the screen and writes docs/images/design.svg.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeShop } from '../test/support/shop-panel.ts';
import { animatedScreen, type Frame } from './screen-svg.mjs';

const root = path.resolve(import.meta.dirname, '..');
const size = { columns: 92, rows: 28 };
const words = 'charrette design --auto --yes "let customers cancel an order"';
const everyMs = 400;

const shop = await makeShop({ delayMs: 1300 });
const folder = mkdtempSync(path.join(tmpdir(), 'charrette-recording-'));
const bin = path.join(folder, 'bin');
mkdirSync(bin);
writeFileSync(
  path.join(bin, 'charrette'),
  `#!/bin/sh\nexec "${process.execPath}" "${path.join(root, 'bin', 'charrette')}" "$@"\n`,
  { mode: 0o755 },
);
const tmux = (...args: string[]) =>
  execFileSync('tmux', ['-S', path.join(folder, 'socket'), '-f', '/dev/null', ...args], { encoding: 'utf8' });
const environment = {
  PATH: `${bin}:${path.dirname(process.execPath)}:/usr/bin:/bin`,
  HOME: folder,
  TERM: 'screen-256color',
  LANG: 'C.UTF-8',
  PS1: '$ ',
  OPENAI_API_KEY: 'none-is-needed',
};

try {
  tmux(
    ...['new-session', '-d', '-x', String(size.columns), '-y', String(size.rows), '-c', shop.project],
    ...['env', '-i', ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)],
    ...['bash', '--norc', '-i'],
  );
  await sleep(500);
  tmux('send-keys', 'clear', 'Enter');
  await sleep(300);
  tmux('send-keys', '-l', words);
  tmux('send-keys', 'Enter');
  const frames = await watch();
  const history = tmux('capture-pane', '-p', '-e', '-S', '-').trimEnd().split('\n');
  frames.push(...scrolledUp(history, frames.at(-1)?.at ?? 0));
  const file = path.join(root, 'docs', 'images', 'design.svg');
  mkdirSync(path.dirname(file), { recursive: true });
  const svg = animatedScreen(frames, { ...size, title: `A terminal: ${words}` });
  writeFileSync(file, svg);
  process.stdout.write(`${file}: ${frames.length} frames, ${svg.length} bytes\n`);
} finally {
  tmux('kill-server');
  await shop.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

/** What the screen shows until the prompt is back under what the run has printed. */
async function watch(): Promise<Frame[]> {
  const frames: Frame[] = [];
  const began = Date.now();
  for (;;) {
    const text = tmux('capture-pane', '-p', '-e').trimEnd();
    if (frames.at(-1)?.text !== text) frames.push({ at: Date.now() - began, text });
    if (/plan\.txt\S*\n\S*\$\S*$/.test(text) || Date.now() - began > 120_000) return frames;
    await sleep(everyMs);
  }
}

/** From the end of what was printed up to where the plan begins, which is what the picture rests on. */
function scrolledUp(lines: readonly string[], at: number): Frame[] {
  const plan = lines.findIndex((line) => /(?:^|m)Plan:/.test(line));
  if (plan < 0) throw new Error(`The plan is not on the screen:\n${lines.join('\n')}`);
  const bottom = lines.length - size.rows;
  const top = Math.max(0, plan - 10);
  const steps = 8;
  return Array.from({ length: steps }, (_, index) => {
    const from = Math.round(bottom + ((top - bottom) * (index + 1)) / steps);
    const text = lines
      .slice(from, from + size.rows)
      .join('\n')
      .trimEnd();
    return { at: at + 700 + index * 90, text };
  });
}
