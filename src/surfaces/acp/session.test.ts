import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentContext, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { writeRun } from '../../../test/support/web-run.ts';
import { Session } from './session.ts';

/** A run that asks and then counts how often it is asked to stop; stopping takes it a moment. */
function makeAskingRun() {
  const { home, directory, remove } = writeRun({ status: 'running' });
  onTestFinished(remove);
  const options = [{ value: 'yes', label: 'Yes' }];
  const questions = ['first', 'second'].map((id) => ({ id, text: 'Sure?', options }));
  writeFileSync(
    directory.questions,
    JSON.stringify({ schemaVersion: 1, run: directory.id, questions, answers: [] }),
  );
  const [script, count] = ['program.mjs', 'count.txt'].map((name) => path.join(home.project, name)) as [
    string,
    string,
  ];
  const event = {
    v: 1,
    id: '1',
    run: directory.id,
    seq: 1,
    time: new Date().toISOString(),
    type: 'question-ask',
    questions,
  };
  const line = JSON.stringify(`${JSON.stringify(event)}\n`);
  writeFileSync(
    script,
    `import { appendFileSync, writeFileSync } from 'node:fs';
    let heard = 0;
    process.on('SIGINT', () => {
      heard += 1;
      writeFileSync(${JSON.stringify(count)}, String(heard));
      setTimeout(() => process.exit(130), 400);
    });
    setInterval(() => {}, 1000);
    appendFileSync(${JSON.stringify(directory.events)}, ${line});`,
  );
  const how = { program: [process.execPath, script], env: {} };
  const session = new Session('s', home.project, 'solo', how, {});
  return { session, toldToStop: () => readFileSync(count, 'utf8') };
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 100));

/** An editor that answers with `cancelled`, as the protocol wants it after a cancel. */
function editor(before: () => void) {
  const asked: string[] = [];
  const client = {
    notify: async () => {},
    async request(_method: string, { toolCall }: RequestPermissionRequest) {
      asked.push(toolCall.toolCallId);
      before();
      await pause();
      return { outcome: { outcome: 'cancelled' } };
    },
  } as unknown as AgentContext;
  return { client, asked };
}

test('a prompt that is cancelled while it asks tells the run once to stop, and asks nothing more', async () => {
  const { session, toldToStop } = makeAskingRun();
  const { client, asked } = editor(() => void session.cancel());
  expect(await session.prompt('/resume', client)).toEqual({ stopReason: 'cancelled' });
  expect(asked).toHaveLength(1);
  expect(toldToStop()).toBe('1');
});

test('a question that the person closes stops the run; the next one is not asked', async () => {
  const { session, toldToStop } = makeAskingRun();
  const { client, asked } = editor(() => {});
  expect(await session.prompt('/resume', client)).toEqual({ stopReason: 'end_turn' });
  expect(asked).toHaveLength(1);
  expect(toldToStop()).toBe('1');
});
