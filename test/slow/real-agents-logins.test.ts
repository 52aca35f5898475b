/** A user's own login reaches the real agent, and nothing else of that user's HOME or environment does. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../model-server/server.ts';
import { type Bench, openBench, type Program, type User } from '../real-agents/harness.ts';
import { installAgents } from '../real-agents/install.ts';

let server: ModelServer;
let bench: Bench;

beforeAll(async () => {
  await installAgents(['claude', 'codex', 'goose', 'grok'], (line) => process.stderr.write(`${line}\n`));
  server = await startModelServer();
  bench = openBench(2);
});
afterAll(async () => {
  await server?.close();
  bench?.remove();
});

const secrets = {
  files: { '.ssh/id_ed25519': 'SECRET-FILE-OF-THE-USER', '.netrc': 'SECRET-FILE-OF-THE-USER' },
  variables: {
    AWS_SECRET_ACCESS_KEY: 'SECRET-VARIABLE-OF-THE-USER',
    UNRELATED: 'SECRET-VARIABLE-OF-THE-USER',
  },
};

const oauth = {
  claudeAiOauth: {
    accessToken: 'planted-claude',
    refreshToken: 'planted-refresh',
    expiresAt: Date.now() + 1e10,
    scopes: ['user:inference', 'user:profile'],
    subscriptionType: 'max',
  },
};

const logins: [Program, string, User][] = [
  ['claude', 'planted-claude', { files: { '.claude/.credentials.json': JSON.stringify(oauth) } }],
  ['codex', 'planted-codex', { variables: { OPENAI_API_KEY: 'planted-codex' } }],
  ['goose', 'planted-goose', { variables: { ANTHROPIC_API_KEY: 'planted-goose' } }],
  ['grok', 'planted-grok', { variables: { XAI_API_KEY: 'planted-grok' } }],
];

test.each(logins)('%s works with the login that is found', async (program, credential, user) => {
  const run = `login-${program}`;
  const { agent } = await bench.usersAgent(program, `${server.url}/run/${run}`, {
    files: { ...secrets.files, ...user.files },
    variables: { ...secrets.variables, ...user.variables },
  });
  const { result } = await bench.call(agent, (place) => `Look. ⟦read ${place}/README.md⟧`);
  expect(result).toMatchObject({ kind: 'ok', confinement: 'bubblewrap' });
  expect(new Set(server.callsOf(run).map((call) => call.credential))).toEqual(new Set([credential]));
});

// These two have a shell even with read access; the others could not run this.
test.each(['codex', 'goose'] as const)("%s's shell finds nothing of the user", async (program) => {
  const run = `search-${program}`;
  const [, , user] = logins.find(([name]) => name === program) ?? [];
  const { agent, home } = await bench.usersAgent(program, `${server.url}/run/${run}`, {
    files: { ...secrets.files, ...user?.files },
    variables: { ...secrets.variables, ...user?.variables },
  });
  const search = `env; ls -a ${home}; cat ${home}/.ssh/id_ed25519 ~/.ssh/id_ed25519 ${home}/.netrc; echo searched`;
  const { result } = await bench.call(agent, () => `Search. ⟦shell ${search}⟧`);
  expect(result.kind).toBe('ok');
  const heard = server
    .callsOf(run)
    .flatMap(({ turns }) => turns)
    .filter(({ role }) => role === 'tool')
    .map(({ text }) => text)
    .join('\n');
  expect(heard).toContain('PATH=');
  expect(heard).toContain('searched');
  expect(heard).not.toContain('OF-THE-USER');
  expect(heard).not.toContain('.netrc\n');
});

test('without any login the failure kind is auth', async () => {
  const { agent } = await bench.usersAgent('codex', `${server.url}/run/unknown`, {});
  const { result } = await bench.call(agent, () => 'Look.');
  expect(result).toMatchObject({ kind: 'auth' });
});
