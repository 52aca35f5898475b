/** Real agents through the Agent Client Protocol, with the one generic driver. */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { World } from '../../src/agents/settings.ts';
import { type ModelServer, startModelServer } from '../model-server/server.ts';
import { type Bench, fakeKey, openBench, shortLimits } from '../real-agents/harness.ts';
import { agentCommand, installAgents } from '../real-agents/install.ts';
import type { PinName } from '../real-agents/pins.ts';
import { processesWith } from '../real-agents/survivors.ts';

type Speaker = {
  pin: PinName;
  arguments?: readonly string[];
  env: (url: string) => Record<string, string>;
  /** A file below HOME that the agent wants before it starts. */
  file?: { path: string; content: (url: string) => string };
  usage: 'measured' | 'estimated';
};

const openAiProvider = (url: string) =>
  `base_url = "${url}/v1"\nenv_key = "FAKE_API_KEY"\nname = "scripted"\n`;

const speakers: Record<string, Speaker> = {
  'claude-acp': {
    pin: 'claude-acp',
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: fakeKey,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '1',
    }),
    usage: 'measured',
  },
  'codex-acp': {
    pin: 'codex-acp',
    env: () => ({ FAKE_API_KEY: fakeKey }),
    file: {
      path: '.codex/config.toml',
      content: (url) =>
        `model = "scripted-model"\nmodel_provider = "scripted"\n[model_providers.scripted]\n${openAiProvider(url)}` +
        'wire_api = "responses"\nrequest_max_retries = 1\nstream_max_retries = 1\n',
    },
    usage: 'measured',
  },
  goose: {
    pin: 'goose',
    arguments: ['acp'],
    env: (url) => ({
      GOOSE_PROVIDER: 'anthropic',
      GOOSE_MODEL: 'scripted-model',
      GOOSE_DISABLE_KEYRING: '1',
      GOOSE_TELEMETRY_ENABLED: 'false',
      ANTHROPIC_HOST: url,
      ANTHROPIC_API_KEY: fakeKey,
    }),
    usage: 'estimated',
  },
  grok: {
    pin: 'grok',
    arguments: ['agent', 'stdio'],
    env: () => ({ FAKE_API_KEY: fakeKey, GROK_TURN_TRANSIENT_RETRY: 'false', GROK_MAX_RETRIES: '1' }),
    file: {
      path: '.grok/config.toml',
      content: (url) =>
        `[models]\ndefault = "scripted"\n[model.scripted]\nmodel = "scripted-model"\ncontext_window = 200000\n` +
        `${openAiProvider(url)}[features]\ntelemetry = false\n[cli]\nauto_update = false\n`,
    },
    usage: 'estimated',
  },
};

let server: ModelServer;
let bench: Bench;
let runs = 0;

beforeAll(async () => {
  const names = [...new Set<PinName>([...Object.values(speakers).map(({ pin }) => pin), 'codex'])];
  await installAgents(names, (line) => process.stderr.write(`${line}\n`));
  server = await startModelServer();
  bench = openBench(3);
});
afterAll(async () => {
  await server?.close();
  bench?.remove();
});

async function seat(name: string, jail: World['jail'], fault?: string) {
  const speaker = speakers[name];
  if (speaker === undefined) throw new Error(name);
  runs += 1;
  const run = `${name}-${runs}`;
  const url = `${server.url}${fault === undefined ? '/run' : `/fault/${fault}`}/${run}`;
  const program = [...agentCommand(speaker.pin), ...(speaker.arguments ?? [])];
  const { file } = speaker;
  const env = { ...speaker.env(url), ...(file && { PREPARED: file.content(url) }) };
  const prepare = `mkdir -p "$HOME/$(dirname "$1")" && printf %s "$PREPARED" > "$HOME/$1" && shift && exec "$@"`;
  const command = file === undefined ? program : ['/bin/sh', '-c', prepare, 'prepare', file.path, ...program];
  const agent = await bench.acpAgent(command, env, jail);
  return { agent, speaker, calls: () => server.callsOf(run) };
}

describe.concurrent.each(Object.keys(speakers))('%s', (name) => {
  test('uses a tool, answers, and continues in a new process', async () => {
    const { agent, speaker, calls } = await seat(name, 'auto');
    const first = await bench.call(agent, (place) => `Please look. ⟦read ${place}/README.md⟧`);
    expect(first.result).toMatchObject({ kind: 'ok', toolCalls: 1, usage: { basis: speaker.usage } });
    expect(first.result.text).toMatch(/^SCRIPT-ANSWER prompts=1 tools=1 last=.*PLUGH-7741/s);
    expect(new Set(calls().map(({ credential }) => credential))).toEqual(new Set([fakeKey]));
    const second = await bench.call(agent, (place) => `And now. ⟦read ${place}/a.ts⟧`, { after: first });
    expect(second.result.kind).toBe('ok');
    expect(second.result.text).toMatch(/^SCRIPT-ANSWER prompts=2 tools=1 last=.*export const a/s);
  });

  test('answers in JSON', async () => {
    const { agent } = await seat(name, 'auto');
    const { result } = await bench.call(agent, () => 'Vote. ⟦json {"vote":"YES"}⟧', {
      schema: { type: 'object' },
    });
    expect(result).toMatchObject({ kind: 'ok', value: { vote: 'YES' } });
  });

  test.each(['auto', 'off'] as const)('cannot write with read access, jail %s', async (jail) => {
    const { agent, calls } = await seat(name, jail);
    const directory = bench.project();
    await bench.call(
      agent,
      (place) => `Change. ⟦write ${place}/evil-tool.txt⟧⟦shell echo x > ${place}/evil-shell.txt⟧`,
      { directory },
    );
    expect(calls().length).toBeGreaterThan(0);
    expect(readdirSync(directory).sort()).toEqual(['README.md', 'a.ts']);
  });

  test.each([
    ['401', 'auth'],
    ['500', 'server'],
    ['toolong', 'context_too_long'],
    ['hang', 'timeout'],
  ])('%s of its model is %s', async (fault, kind) => {
    const { agent } = await seat(name, 'auto', fault);
    const { result } = await bench.call(
      agent,
      (place) => `Please look. ⟦read ${place}/README.md⟧`,
      kind === 'timeout' ? { limits: shortLimits(name) } : {},
    );
    expect(result).toMatchObject({ kind });
  });

  test('is cancelled while its model is silent, and leaves nothing', async () => {
    const { agent, calls } = await seat(name, 'off', 'hang');
    const controller = new AbortController();
    const watch = setInterval(() => {
      if (calls().length > 0) controller.abort();
    }, 100);
    const { result, laneDirectory } = await bench.call(agent, () => 'Wait. ⟦say never⟧', {
      signal: controller.signal,
    });
    clearInterval(watch);
    expect(result).toMatchObject({ kind: 'cancelled' });
    expect(processesWith(laneDirectory)).toEqual([]);
  });
});
