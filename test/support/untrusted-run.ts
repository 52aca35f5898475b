import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type WrittenRun, writeRun } from './web-run.ts';

const types = [
  'run-start',
  'run-resume',
  'run-pause',
  'run-end',
  'phase-start',
  'phase-end',
  'phase-skip',
  'warning',
  'note',
  'body',
  'lane-queue',
  'lane-start',
  'lane-retry',
  'lane-end',
  'question-ask',
  'question-answer',
  'artifact-write',
  'record',
  'of a later version',
];

const time = '2026-01-01T00:00:00.000Z';
const usage = { basis: 'measured', inputTokens: 5, cachedInputTokens: 0, outputTokens: 5 };
const call = { phase: '2a', task: 'sketch', seat: 's', agent: 'a', family: 'f', usage, durationMs: 1 };

/** Every field of every event and entry, in the wrong shape. */
const odd = ['text', 'line', 'phase', 'lane', 'label', 'task', 'usage', 'questions', 'answers', 'message'];

/**
 * A run as an untrusted archive may hold one: every file is well-formed JSON, and much of it has wrong values. Names are
 * those that every object has.
 */
export function writeUntrustedRun(record: Parameters<typeof writeRun>[0] = {}): WrittenRun {
  const run = writeRun({ title: 'an untrusted run', baseCommit: 'none', ...record });
  const { directory } = run;
  const frame = (id: number) => ({ v: 1, id: `e${id}`, run: directory.id, seq: id, time });
  const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];
  const events: unknown[] = [
    null,
    5,
    'text',
    [],
    {},
    { id: 'x' },
    ...types.map((type, index) => ({ ...frame(index), type })),
    ...types.map((type, index) => ({ ...frame(index), type, ...fields({ a: { toString: 1 } }) })),
    ...types.map((type, index) => ({ ...frame(index), type, ...fields([null]), seq: 1e12, time: 'never' })),
    ...types.map((type, index) => ({ ...frame(index), type, ...fields(null), seq: 'x', time: 5 })),
    ...names.flatMap((name, index) => [
      { ...frame(100 + index), type: 'phase-start', phase: name, line: name },
      {
        ...frame(200 + index),
        type: 'lane-queue',
        lane: name,
        task: 'judge',
        seat: name,
        label: name,
        phase: name,
      },
      { ...frame(300 + index), type: 'lane-start', lane: name, agent: name, attempt: 1 },
      { ...frame(400 + index), type: 'lane-end', lane: name, agent: name, kind: 'ok', elapsedMs: 1, usage },
    ]),
    { ...frame(500), type: 'note', phase: '2a', text: 'THE LAST WORD' },
  ];
  appendFileSync(directory.events, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  const entries: unknown[] = [
    null,
    { id: 'a' },
    { id: 'b', usage: null },
    { id: 'c', ...call, time, usage: { ...usage, inputTokens: '5' } },
    { id: 'd', ...call, time: {}, model: {}, durationMs: 'x' },
    { id: 'e', ...call, time, seat: 'constructor', agent: 'constructor', phase: 'constructor' },
  ];
  writeFileSync(directory.ledger, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  const question = { id: 'q', text: 'Which?' };
  writeFileSync(
    directory.questions,
    JSON.stringify({
      questions: [question, { ...question, id: 'r', detail: {} }, { ...question, id: 's', recommended: 5 }],
      answers: [{ question: 'z', value: 5 }],
    }),
  );
  for (const name of ['ballot-proposers.json', 'plan.json', 'outputs.json'])
    run.artifact(name, `{"tasks":5,"Reviewer A":{"toString":1},"long":"${'`a'.repeat(150_000)}"}`);
  run.artifact('ballot.txt', ballot);
  run.artifact('voting-tally.md', tally);
  run.artifact('plan.txt', '# Plan: kept\n\n| a |\n|---|\n| b |\n');
  writeFileSync(path.join(directory.artifacts, 'constructor'), 'a file');
  return run;
}

function fields(value: unknown): Record<string, unknown> {
  return Object.fromEntries(odd.map((name) => [name, value]));
}

const ballot = `### FINDING_1: a title
- **Reviewer**: Reviewer A
- **Focus area**: x
- **Severity**: y
- **Evidence**: z
- **Concern**: c
- **Suggested revision**: s
`;

const tally = `## Voting Tally

- **Rule**: two of three

| Item | Title | constructor | YES | NO | EXONERATE | Outcome |
|---|---|---|---|---|---|---|
| FINDING_1 | a title | constructor | x | y | z | accepted |

### FINDING_1
- constructor: YES — because

## Reviewer Competition Scoreboard

| Reviewer | Findings | Score |
|---|---|---|
| constructor | x | y |
`;
