// `node scripts/recording.mjs`: runs a real design of the example shop in a real terminal (tmux), without any model, looks
// at the screen while it goes on, and writes what it saw to docs/images/design.svg.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeExampleRepository } from './example-repository.mjs';
import { animatedScreen } from './screen-svg.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const size = { columns: 92, rows: 24 };
const words = 'charrette design --agents static --auto "let customers cancel an order"';

const folder = mkdtempSync(path.join(tmpdir(), 'charrette-recording-'));
const shop = path.join(folder, 'shop');
makeExampleRepository(shop);
const bin = path.join(folder, 'bin');
mkdirSync(bin);
writeFileSync(
  path.join(bin, 'charrette'),
  `#!/bin/sh\nexec "${process.execPath}" "${path.join(root, 'bin', 'charrette')}" "$@"\n`,
  { mode: 0o755 },
);
const tmux = (...args) =>
  execFileSync('tmux', ['-S', path.join(folder, 'socket'), '-f', '/dev/null', ...args], { encoding: 'utf8' });
try {
  tmux(
    ...['new-session', '-d', '-x', String(size.columns), '-y', String(size.rows), '-c', shop],
    ...[
      'env',
      '-i',
      `PATH=${bin}:/usr/bin:/bin`,
      `HOME=${folder}`,
      'TERM=screen-256color',
      'LANG=C.UTF-8',
      'PS1=$ ',
    ],
    ...['bash', '--norc', '-i'],
  );
  await sleep(500);
  tmux('send-keys', 'clear', 'Enter');
  await sleep(300);
  tmux('send-keys', '-l', words);
  tmux('send-keys', 'Enter');
  const frames = [];
  const began = Date.now();
  // Over when the prompt is back under what the run has printed.
  for (;;) {
    const text = tmux('capture-pane', '-p', '-e').trimEnd();
    if (frames.at(-1)?.text !== text) frames.push({ at: Date.now() - began, text });
    if (/plan\.txt\S*\n\S*\$\S*$/.test(text) || Date.now() - began > 120_000) break;
    await sleep(120);
  }
  const file = path.join(root, 'docs', 'images', 'design.svg');
  mkdirSync(path.dirname(file), { recursive: true });
  const svg = animatedScreen(frames, { ...size, title: `A terminal: ${words}` });
  writeFileSync(file, svg);
  process.stdout.write(`${file}: ${frames.length} frames, ${svg.length} bytes\n`);
} finally {
  tmux('kill-server');
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
