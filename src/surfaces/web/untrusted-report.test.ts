import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runCommandLine, runOnTerminal } from '../../../test/support/run-command-line.ts';
import { writeUntrustedRun } from '../../../test/support/untrusted-run.ts';
import type { WrittenRun } from '../../../test/support/web-run.ts';
import { readEvents } from '../../engine/event-log.ts';
import { readLedger, totalsOf } from '../../engine/ledger.ts';
import { viewOf } from '../mcp/run-tools.ts';

let run: WrittenRun;
afterEach(() => run.remove());

const word = 'THE LAST WORD';

test.each(['design', 'lite-plan', 'skill-run', 'constructor'])(
  'untrusted files in the wrong shape break nothing that shows a run of %s',
  async (workflow) => {
    run = writeUntrustedRun({ workflow, exit: 0 });
    const { directory, home } = run;
    const call = (...words: string[]) => runCommandLine(...words, '--cwd', home.project);
    const html = path.join(home.project, 'report.html');
    for (const [words, shown] of [
      [['show', directory.id], word],
      [['show', directory.id, '--json'], '"unknown": 4'],
      [['watch', directory.id], word],
      [['watch', directory.id, '--output', 'stream-json'], word],
      [['report', directory.id], 'Skipped event'],
      [['report', directory.id, '--html', '--out', html], 'report.html'],
      [['costs', directory.id], ''],
      [['costs', '--all'], ''],
      [['runs'], 'an untrusted run'],
    ] as const) {
      const { exit, out, err } = await call(...words);
      expect({ exit, err: err.includes('internal') }, `${words.join(' ')}: ${err}`).toEqual({
        exit: 0,
        err: false,
      });
      expect(out + err, words.join(' ')).toContain(shown);
    }
    const seen = await runOnTerminal('watch', directory.id, '--cwd', home.project);
    expect(seen, seen.err).toMatchObject({ exit: 0 });
  },
);

test('events and calls that cannot be read are counted and not taken for something else', () => {
  run = writeUntrustedRun();
  const events = readEvents(run.directory.events);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(viewOf(events).lanes.map(({ lane }) => lane)).toContain('constructor');
  expect(totalsOf(readLedger(run.directory.ledger))).toMatchObject({
    calls: 5,
    inputTokens: 5,
    basis: { measured: 1, unknown: 4 },
  });
});
