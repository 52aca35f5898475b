import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { featureDirectory } from '../../../test/support/feature-directory.ts';
import { openProject } from '../../service/project.ts';
import { serveClient } from './serve.ts';

/** Everything that the server answers to this input, once it has ended. */
async function served(input: string) {
  const { root } = featureDirectory();
  const output = new PassThrough();
  const lines = text(output);
  await serveClient(openProject(root, { env: { HOME: root }, program: [] }), {
    input: Readable.from([Buffer.from(input)]),
    output,
    signal: new AbortController().signal,
  });
  output.end();
  return (await lines)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});
const request = (id: number, name: string) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } });

test.each(['\n', ''])(
  'pending requests are answered at the end of input, which ends with %j',
  async (end) => {
    const answers = await served(
      `${initialize}\n${request(2, 'run_list')}\n${request(3, 'design_context')}${end}`,
    );
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
    expect(answers.every(({ result }) => result !== undefined)).toBe(true);
  },
);

test('a line that is not JSON gets -32700, one that is not a message -32600, and the server continues', async () => {
  const answers = await served(`garbage\n\r\n\n{"a":1}\n${initialize}\n`);
  expect(answers).toMatchObject([
    { jsonrpc: '2.0', id: null, error: { code: -32_700 } },
    { jsonrpc: '2.0', id: null, error: { code: -32_600 } },
    { id: 1, result: { serverInfo: { name: 'charrette' } } },
  ]);
});
