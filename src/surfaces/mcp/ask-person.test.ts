import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { askPersonThrough } from './tool.ts';

const question = { id: 'q', text: 'Sure?' };

/** A host that shows forms, and how it answers them. */
const host = (elicitInput: () => Promise<unknown>) =>
  ({
    server: { getClientCapabilities: () => ({ elicitation: { form: {} } }), elicitInput },
  }) as unknown as Pick<McpServer, 'server'>;

test.each(['RequestTimeout', 'MethodNotFound', 'InvalidParams'] as const)(
  'a form that comes back as %s is a question without an answer',
  async (code) => {
    const ask = askPersonThrough(
      host(async () => {
        throw new McpError(ErrorCode[code], 'no form');
      }),
      new AbortController().signal,
    );
    expect(await ask?.(question)).toBeUndefined();
  },
);

test('a call that was cancelled while it asked fails', async () => {
  const call = new AbortController();
  const ask = askPersonThrough(
    host(async () => {
      call.abort();
      throw new McpError(ErrorCode.RequestTimeout, 'cancelled');
    }),
    call.signal,
  );
  await expect(ask?.(question)).rejects.toThrow('cancelled');
});
