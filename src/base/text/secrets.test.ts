import { expect, test } from 'vitest';
import { isSecretName, redactCommand, withoutSecrets } from './secrets.ts';

test('what is shown has neither values of secret names nor passwords of addresses, and all the rest', () => {
  const settings = {
    store: { url: 'postgres://me:pass%40word@host:5432/runs' },
    agents: { own: { command: ['own', '--mode=a:b@c'], env: { OWN_API_KEY: 'abcdefgh', OWN_MODE: 'fast' } } },
    limits: { maxTokens: 5 },
    baseUrl: 'http://127.0.0.1:8080/v1',
  };
  expect(withoutSecrets(settings)).toEqual({
    store: { url: 'postgres://me:[secret]@host:5432/runs' },
    agents: { own: { command: ['own', '--mode=a:b@c'], env: { OWN_API_KEY: '[secret]', OWN_MODE: 'fast' } } },
    limits: { maxTokens: 5 },
    baseUrl: 'http://127.0.0.1:8080/v1',
  });
});

test.each([
  [
    ['own', '--api-key', 'abcdefgh', '--fast'],
    ['own', '--api-key', '[secret]', '--fast'],
  ],
  [
    ['own', '--api-key=abcdefgh', 'OWN_TOKEN=x'],
    ['own', '--api-key=[secret]', 'OWN_TOKEN=[secret]'],
  ],
  [
    ['own', '--use', 'sk-ant-0123456789'],
    ['own', '--use', '[secret]'],
  ],
  [
    ['curl', '-H', 'Authorization: Bearer abcdefgh123'],
    ['curl', '-H', 'Authorization: [secret]'],
  ],
  [
    ['curl', '-H', 'x-api-key: abcdefgh', '-H', 'accept: text/plain', 'say Bearer abcdefgh123'],
    ['curl', '-H', 'x-api-key: [secret]', '-H', 'accept: text/plain', 'say Bearer [secret]'],
  ],
  [
    ['own', '-c', 'provider={base_url="http://me:p@ss@host/v1",key="x"}', 'https://host/?a=1&key=abc#k'],
    [
      'own',
      '-c',
      'provider={base_url="http://me:[secret]@host/v1",key="x"}',
      'https://host/?a=1&key=[secret]#k',
    ],
  ],
  [
    ['psql', '--url=postgres://me:pass@host/runs', '--max-tokens', '5'],
    ['psql', '--url=postgres://me:[secret]@host/runs', '--max-tokens', '5'],
  ],
  [
    ['own', '--token', '--verbose', 'task-list-of-today'],
    ['own', '--token', '--verbose', 'task-list-of-today'],
  ],
])('a key in a command line is redacted, nothing else: %j', (command, shown) => {
  expect(withoutSecrets({ command })).toEqual({ command: shown });
});

test.each([
  ...[
    'OPENAI_API_KEY',
    'AWS_BEARER_TOKEN_BEDROCK',
    'AWS_ACCESS_KEY_ID',
    'ANTHROPIC_CUSTOM_HEADERS',
    'apiKey',
  ],
  ...[
    'PGPASSWORD',
    'MYSQL_PWD',
    'DB_PASS',
    'SECRET_ACCESS_KEY_2',
    'API_KEY1',
    'GOOGLE_APPLICATION_CREDENTIALS',
  ],
  ...[
    '--api-key',
    '--token',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'SESSION_COOKIE',
    'SLACK_TOKEN_FOR_ALERTS',
    'APIKEYS_KEYS',
  ],
])('%s names a secret', (name) => expect(isSecretName(name)).toBe(true));

test.each([
  ...[
    'MAX_TOKENS',
    'maxTokens',
    'TOKENIZER',
    'TOKENIZERS_PARALLELISM',
    'KEYBOARD',
    'KEYBOARD_LAYOUT',
    'KEYMAP',
  ],
  ...[
    'TOKEN_LIMIT',
    'tokenBudget',
    'SSH_KEY_PATH',
    'PASSWORD_FILE',
    'SECRET_NAME',
    'AUTHOR',
    'PWD',
    'OLDPWD',
  ],
  ...['PASSTHROUGH', 'BYPASS_CACHE', 'SECRETARY', 'HEADER', 'ANTHROPIC_BASE_URL', '--max-tokens', ''],
])('%s names none', (name) => expect(isSecretName(name)).toBe(false));

test('returns what it redacted, and does not change a redacted text', () => {
  const command = ['own', '--api-key', 'abcdefgh', 'http://me:hunter22@host', '--use=sk-ant-0123456789'];
  const { shown, secrets } = redactCommand(command);
  expect(secrets).toEqual(['abcdefgh', 'hunter22', 'sk-ant-0123456789']);
  expect(redactCommand(shown).shown).toEqual(shown);
});

test.each(['a://b:', 'a:', '?a=', '?key=x', 'http://a', '&token', 'Bearer ', 'sk-', 'A_'])(
  'a text of nothing but %j is read in one pass',
  (part) => {
    const text = part.repeat(2_000_000 / part.length);
    expect(withoutSecrets([text])).toHaveLength(1);
  },
);
