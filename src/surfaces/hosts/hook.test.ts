import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { conversation, hostProject, say } from '../../../test/support/host-project.ts';
import { runProgram } from '../../main/program.ts';

let place: ReturnType<typeof hostProject>;
beforeEach(() => {
  place = hostProject();
});
afterEach(() => rmSync(place.project, { recursive: true, force: true }));

/** Calls the hook as a host does: the event as JSON on stdin. */
async function hook(input: unknown, words: string[], env: Record<string, string> = {}) {
  const written = { out: '', err: '' };
  const sink = (key: 'out' | 'err') =>
    new Writable({
      write(chunk, _encoding, done) {
        written[key] += String(chunk);
        done();
      },
    });
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  const terminal = { stdin: Readable.from([text]), stdout: sink('out'), stderr: sink('err'), env };
  const exit = await runProgram(['hook', ...words, '--cwd', place.project], terminal);
  return { exit, ...written };
}

const running = () => [
  say.tool('Read', { file_path: place.phase(2) }),
  say.todos(['Phase 1: Lite Plan', 'completed'], ['Phase 2: Lite Execute', 'in_progress']),
];
const event = (more: Record<string, unknown> = {}) => ({
  session_id: 's-1',
  cwd: place.project,
  transcript_path: conversation(place.project, running()),
  ...more,
});

test('P-164 snapshot before and card after a compaction, as Claude Code calls them', async () => {
  expect(await hook(event({ hook_event_name: 'PreCompact' }), ['pre-compact'])).toEqual({
    exit: 0,
    out: '',
    err: '',
  });
  const { exit, out } = await hook(event({ source: 'compact' }), ['session-start', '--host', 'claude']);
  expect(exit).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    hookSpecificOutput: {
      hookEventName: 'SessionStart',
      additionalContext: expect.stringContaining('# Phase 2: Lite Execute'),
    },
  });
});

test('the guard blocks an end in Claude Code and asks Cursor to continue', async () => {
  expect(JSON.parse((await hook(event(), ['stop'])).out)).toMatchObject({ decision: 'block' });
  expect(JSON.parse((await hook(event(), ['stop', '--host', 'cursor'])).out)).toMatchObject({
    followup_message: expect.stringContaining('not over'),
  });
});

test('a hook never blocks: bad input, unreadable state and agents of a run get silence and exit 0', async () => {
  for (const input of ['', 'no json', '[]', '{"session_id":7,"cwd":"relative","transcript_path":"../x"}'])
    for (const name of ['session-start', 'pre-compact', 'before-agent', 'stop'])
      expect(await hook(input, [name])).toMatchObject({ exit: 0, out: '' });
  // The session file is a folder, so the snapshot cannot be written.
  mkdirSync(path.join(place.project, '.charrette', 'hosts', 's-1.json'), { recursive: true });
  const failed = await hook(event(), ['pre-compact']);
  expect(failed).toMatchObject({
    exit: 0,
    out: '',
    err: expect.stringMatching(/^charrette hook pre-compact: /),
  });
  expect((await hook(event(), ['stop'], { CHARRETTE_RUN: 'x' })).out).toBe('');
});

test('a wrong event or host is reported on stderr and blocks nothing: exit 2 would be a refusal to some hosts', async () => {
  for (const [words, said] of [
    [['stopp'], 'unknown event "stopp"; available: session-start, '],
    [['stop', '--host', 'vim'], 'unknown host "vim"; available: claude, '],
  ] as const) {
    const { exit, out, err } = await hook(event(), [...words]);
    expect([exit, out]).toEqual([0, '']);
    expect(err).toContain(said);
  }
});
