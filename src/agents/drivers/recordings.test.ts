import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { replay } from '../../../test/support/replay.ts';
import { parseJson } from '../../base/safe-json.ts';
import type { LaneKind } from '../port.ts';
import type { EndReason } from '../process/process-tree.ts';
import { drivers } from '../registry.ts';

const fixtures = path.join(import.meta.dirname, '../fixtures');

type Exits = Record<string, { code?: number; signal?: string; ended?: EndReason }>;

const exitsOf = (agent: string) =>
  parseJson(readFileSync(path.join(fixtures, agent, 'exits.json'), 'utf8'), 'exits') as Exits;
const recording = (agent: string, name: string) =>
  readFileSync(path.join(fixtures, agent, `${name}.jsonl`), 'utf8');

/** What each recording of a real agent must come to. A recording that is not named here fails the test. */
const expected: Record<string, Partial<Record<LaneKind, string>>> = {
  claude: {
    ok: 'ok resume schema schema-retry fault-429x1 fault-500x1',
    auth: 'fault-401 tuned-401',
    rate_limit: 'fault-429 tuned-429',
    server: 'fault-500 tuned-500',
    network: 'fault-connrefused tuned-connrefused',
    stream: 'fault-html fault-malformed fault-malformed@2 fault-reset fault-truncated',
    context_too_long: 'fault-toolong',
    limit: 'max-budget max-turns',
    bad_output: 'fault-empty schema-bad',
    timeout: 'fault-hang fault-hangmid tuned-hang tuned-hangmid',
    cancelled: 'SIGKILL-hang SIGKILL-tool SIGTERM-hang SIGTERM-tool',
  },
  codex: {
    ok: 'ok resume schema fault-429x1 fault-500x1 fault-malformed fault-malformed@2',
    auth: 'fault-401 tuned-401',
    rate_limit: 'fault-429 tuned-429',
    server: 'fault-500 tuned-500',
    stream: 'fault-html fault-reset fault-truncated tuned-hangmid',
    context_too_long: 'fault-toolong',
    bad_output: 'fault-empty schema-bad',
    timeout: 'fault-connrefused fault-hang fault-hangmid tuned-connrefused tuned-hang',
    cancelled: 'SIGKILL-hang SIGKILL-tool SIGTERM-hang SIGTERM-tool',
  },
  gemini: {
    ok: 'ok resume fault-429x1 fault-500x1',
    auth: 'fault-401 tuned-401',
    rate_limit: 'tuned-429',
    server: 'tuned-500',
    network: 'tuned-connrefused',
    stream: 'fault-html fault-malformed fault-malformed@2 fault-reset fault-truncated tuned-truncated',
    context_too_long: 'fault-toolong',
    bad_output: 'fault-empty',
    timeout: 'fault-429 fault-500 fault-connrefused fault-hang fault-hangmid',
    cancelled: 'SIGTERM-hang SIGTERM-tool',
  },
  opencode: {
    ok: 'ok ok-anthropic ok-openai resume fault-429x1 fault-500x1',
    auth: 'fault-401',
    rate_limit: 'fault-429',
    server: 'fault-500',
    network: 'fault-connrefused',
    stream: 'fault-malformed fault-malformed@2 fault-reset',
    context_too_long: 'fault-toolong',
    bad_output: 'fault-empty',
    timeout: 'fault-hang fault-hangmid',
    cancelled: 'SIGKILL-hang SIGKILL-tool SIGTERM-hang SIGTERM-tool',
  },
  qwen: {
    ok: 'ok resume schema fault-429x1 fault-500x1',
    auth: 'fault-401',
    rate_limit: 'fault-429',
    server: 'fault-500',
    network: 'fault-connrefused',
    stream: 'fault-html fault-malformed fault-malformed@2 fault-reset fault-truncated',
    context_too_long: 'fault-toolong',
    bad_output: 'fault-empty',
    timeout: 'fault-hang fault-hangmid',
    cancelled: 'SIGTERM-hang SIGTERM-tool',
  },
  goose: {
    // Truncated and malformed tool calls are reported to the model, which answers anyway.
    ok: 'ok resume fault-429x1 fault-500x1 fault-malformed fault-malformed@2 fault-truncated',
    auth: 'fault-401',
    rate_limit: 'fault-429',
    server: 'fault-500',
    network: 'fault-connrefused',
    stream: 'fault-reset',
    context_too_long: 'fault-toolong',
    bad_output: 'fault-empty fault-html',
    timeout: 'fault-hang fault-hangmid',
    cancelled: 'SIGTERM-hang SIGTERM-tool',
  },
  pi: {
    ok: 'ok resume fault-429x1 fault-500x1',
    auth: 'fault-401',
    rate_limit: 'fault-429',
    server: 'fault-500',
    network: 'fault-connrefused',
    stream: 'fault-malformed fault-malformed@2 fault-reset fault-truncated',
    context_too_long: 'fault-toolong',
    bad_output: 'fault-empty fault-html',
    timeout: 'fault-hang fault-hangmid',
    cancelled: 'SIGTERM-hang SIGTERM-tool',
  },
  copilot: {
    ok: 'ok resume fault-429x1 fault-500x1',
    auth: 'fault-401',
    rate_limit: 'fault-429',
    server: 'fault-500',
    network: 'fault-connrefused',
    stream: 'fault-html fault-malformed fault-malformed@2 fault-reset fault-truncated',
    context_too_long: 'fault-toolong',
    bad_output: 'fault-empty',
    timeout: 'fault-hang fault-hangmid',
    cancelled: 'SIGTERM-hang SIGTERM-tool',
  },
  grok: {
    ok: 'ok resume fault-429x1',
    auth: 'fault-401',
    rate_limit: 'fault-429',
    stream: 'fault-malformed fault-truncated',
    context_too_long: 'fault-toolong',
    timeout: 'fault-500 fault-connrefused fault-empty fault-hang fault-html fault-reset',
  },
};

describe.each(Object.keys(expected))('recordings of %s', (agent) => {
  const driver = drivers[agent as keyof typeof drivers];
  const exits = exitsOf(agent);
  const kinds = new Map(
    Object.entries(expected[agent] ?? {}).flatMap(([kind, names]) =>
      names.split(' ').map((name) => [name, kind] as const),
    ),
  );

  test('every recording has an expected kind', () => {
    expect([...kinds.keys()].sort()).toEqual(Object.keys(exits).sort());
  });

  test.each(Object.keys(exits))('%s', (name) => {
    const schema = name.startsWith('schema') ? { schema: { type: 'object' } } : {};
    const result = replay(driver, recording(agent, name), exits[name] ?? {}, schema);
    expect(result.kind).toBe(kinds.get(name));
    expect(result.message === undefined).toBe(result.kind === 'ok');
  });

  test('ok: the answer without the narration, one tool call, tokens with the cached ones in the input', () => {
    const result = replay(driver, recording(agent, 'ok'), exits['ok'] ?? {});
    expect(result.text).toMatch(/^FAKE-ANSWER prompts=1 tools=1 last=/);
    expect(result.text).toContain('PLUGH-7741');
    expect(result.toolCalls).toBe(1);
    if (agent !== 'copilot') {
      expect(result.usage).toMatchObject({
        basis: 'measured',
        inputTokens: 2400,
        cachedInputTokens: 800,
        outputTokens: 68,
      });
    }
  });

  test('resume: usage is that of this run alone, also where the agent counts on', () => {
    const first = replay(driver, recording(agent, 'ok'), exits['ok'] ?? {});
    const result = replay(driver, recording(agent, 'resume'), exits['resume'] ?? {}, {
      resumed: true,
      earlierUsage: first.usage,
    });
    expect(result.text).toContain('prompts=2');
    expect(result.session).toBe(first.session);
    if (agent !== 'copilot') {
      expect(result.usage).toMatchObject({ inputTokens: 2400, cachedInputTokens: 800, outputTokens: 68 });
      expect(result.usage.usd).toBe(first.usage.usd);
    }
  });

  test('L-364 F-07 a stream that breaks off anywhere before its end is never a success', () => {
    const text = recording(agent, 'ok');
    const end = text.trimEnd().lastIndexOf('\n');
    // What follows the last success event may be missing; pi and copilot print a few lines after it.
    const terminal = { pi: '"stopReason":"stop"', copilot: '"exitCode":0' }[agent];
    const last = terminal === undefined ? end : text.lastIndexOf('\n', text.lastIndexOf(terminal));
    fc.assert(
      fc.property(fc.nat({ max: agent === 'pi' ? text.indexOf('"toolUse"') : last }), (cut) => {
        expect(replay(driver, text.slice(0, cut), { code: 0 }).kind).not.toBe('ok');
      }),
      { numRuns: 40 },
    );
  });
});

test('cost of a resumed Claude conversation counts this run only', () => {
  const result = replay(drivers.claude, recording('claude', 'resume'), { code: 0 }, { resumed: true });
  expect(result.usage.usd).toBeCloseTo(0.00792, 6);
});

test('no driver throws on any line, however wrong', () => {
  const types = fc.constantFrom(
    ...'system assistant user result message tool_use step_start step_finish text error complete init'.split(
      ' ',
    ),
    ...'item.completed turn.completed turn.failed message_end assistant.message session.error'.split(' '),
  );
  const line = fc.oneof(
    fc.string(),
    fc
      .record({
        type: types,
        part: fc.jsonValue(),
        message: fc.jsonValue(),
        data: fc.jsonValue(),
        item: fc.jsonValue(),
      })
      .map((event) => JSON.stringify(event)),
    fc
      .dictionary(fc.constantFrom('type', 'usage', 'error', 'stats', 'result'), fc.jsonValue())
      .map((event) => JSON.stringify(event)),
  );
  fc.assert(
    fc.property(line, (text) => {
      for (const driver of Object.values(drivers)) expect(Array.isArray(driver.parse(text))).toBe(true);
    }),
    { numRuns: 300 },
  );
});
