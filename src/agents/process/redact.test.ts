import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { projectWith } from '../../../test/support/design-project.ts';
import { asSaid, Redactor, redact, secretsAround, secretsIn } from './output.ts';

test('keys in the .env files of a project, by their names, however they are written', async () => {
  const directory = projectWith({
    '.env': [
      'export SHOP_API_KEY="key-1-of-the-shop"',
      "DB_PASSWORD='pass word 2 #not a comment'",
      'DATABASE_URL=postgres://me:pass-3-here@host/db # the store',
      'PORT=30000000',
      'PRIVATE_KEY="-----BEGIN KEY-----\nabcdef4567890\n-----END KEY-----"',
    ].join('\n'),
    '.env.local': 'AUTH_TOKEN=token-5-local\n',
    '.env.example': 'AUTH_TOKEN=put-6-here-please\n',
    '.env.d/secret': 'AUTH_TOKEN=token-7\n',
    'src/.env': 'AUTH_TOKEN=token-8-deeper\n',
    '.envrc': 'AUTH_TOKEN=token-9-else\n',
  });
  expect((await secretsAround(directory, {})).sort()).toEqual([
    '-----BEGIN KEY-----',
    '-----END KEY-----',
    'abcdef4567890',
    'key-1-of-the-shop',
    'pass word 2 #not a comment',
    'pass-3-here',
    'token-5-local',
  ]);
});

test('words are not keys: what an agent says stays readable', async () => {
  const directory = projectWith({
    '.env':
      'POSTGRES_PASSWORD=postgres\nADMIN_PASSWORD=change-me-please\nA_TOKEN=$' +
      '{OTHER_TOKEN_1}\nB_KEY=short1\n',
  });
  expect(await secretsAround(directory, {})).toEqual([]);
});

test('keys of this process, whichever agent has them', async () => {
  const environment = {
    CHARRETTE_DATABASE_URL: 'postgresql://me:store-pass-3@127.0.0.1/x',
    PGPASSWORD: 'charrette',
    HOME: '/x',
  };
  expect(await secretsAround(projectWith(), environment)).toEqual(['store-pass-3']);
});

test('a checkout of a run has the keys of its project too, and what cannot be read is none', async () => {
  const project = projectWith({ '.env': 'A_KEY=of-the-project-1\n' });
  const checkout = path.join(project, '.charrette', 'runs', 'r', 'worktrees', 'build');
  mkdirSync(checkout, { recursive: true });
  mkdirSync(path.join(checkout, '.env'));
  symlinkSync('nowhere', path.join(checkout, '.env.local'));
  expect(await secretsAround(checkout, {})).toEqual(['of-the-project-1']);
});

function pass(secrets: readonly string[], chunks: readonly Uint8Array[]): string {
  const redactor = new Redactor(secrets);
  const parts = chunks.map((chunk) => Buffer.from(redactor.push(chunk)));
  return Buffer.concat([...parts, Buffer.from(redactor.end())]).toString('utf8');
}

/** The characters that are part of no secret, found place by place. */
function withoutThose(text: string, secrets: readonly string[]): string {
  const isPart = (at: number) =>
    secrets.some((secret) =>
      text.slice(Math.max(0, at - secret.length + 1), at + secret.length).includes(secret),
    );
  return [...text].filter((_, at) => !isPart(at)).join('');
}

describe('secrets in the output of an agent', () => {
  test('are variables named like one, long enough, the longest first', () => {
    const variables = {
      ANTHROPIC_API_KEY: 'sk-ant-123456',
      AWS_ACCESS_KEY_ID: 'AKIA12345678901234',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:8080',
      SHORT_TOKEN: 'abc',
    };
    expect(secretsIn(variables)).toEqual(['AKIA12345678901234', 'sk-ant-123456']);
  });

  test('are the tokens of clouds, passwords of proxies and keys behind flags too', () => {
    const variables = {
      AWS_BEARER_TOKEN_BEDROCK: 'ABSK-bedrock-0123',
      HTTPS_PROXY: 'http://me:hunter22@proxy:3128',
      MAX_TOKENS: '100000000',
    };
    const command = ['own', '--api-key', 'behind-a-flag', '--mode', 'careful-one'];
    expect(secretsIn(variables, command)).toEqual(['ABSK-bedrock-0123', 'behind-a-flag', 'hunter22']);
  });

  test('are redacted wherever a chunk is cut, and nothing else changes', () => {
    const secret = 'sk-sk-canary-ü-9876';
    const text = `{"a":"${secret}","b":"sk-sk-","c":"ü"}\n${secret}`;
    const bytes = Buffer.from(text);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 8 }), (cuts) => {
        const places = [0, ...[...cuts].sort((left, right) => left - right), bytes.length];
        const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
        expect(pass([secret], chunks)).toBe(text.replaceAll(secret, '[secret]'));
      }),
    );
  });

  test('of one that begins with another the rest is not printed when it comes later', () => {
    const secrets = ['canary-7f3a-long', 'canary-7f3a'];
    const chunks = (...pieces: string[]) => pieces.map((piece) => Buffer.from(piece));
    expect(pass(secrets, chunks('a canary-7f3a', '-long b'))).toBe('a [secret] b');
    expect(pass(secrets, chunks('a canary-7f3a', '-lo', ' b'))).toBe('a [secret]-lo b');
    expect(pass(secrets, chunks('a canary-7f3a'))).toBe('a [secret]');
  });

  test('that contain each other or share an end are gone wherever a chunk is cut', () => {
    const secrets = ['canary-7f3a-long', 'canary-7f3a', '7f3a-lo', 'long-canary', 'aaaa'];
    const words = fc.constantFrom(...secrets, 'canary-7', 'long', '-', 'a', 'aaa', ' ');
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), fc.integer({ min: 1, max: 20 }), (said, length) => {
        const text = said.join('');
        const bytes = Buffer.from(text);
        const chunks = Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
          bytes.subarray(index * length, (index + 1) * length),
        );
        const passed = pass(secrets, chunks);
        expect(passed).toBe(pass(secrets, [bytes]));
        expect(passed.replaceAll('[secret]', '')).toBe(withoutThose(text, secrets));
      }),
    );
  });

  test('passes bytes without a secret unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 }), (chunks) => {
        const redactor = new Redactor(['no such thing here']);
        const parts = chunks.map((chunk) => Buffer.from(redactor.push(chunk)));
        const passed = Buffer.concat([...parts, Buffer.from(redactor.end())]);
        expect(passed.equals(Buffer.concat(chunks))).toBe(true);
      }),
    );
  });

  test.each([
    ['https://joe:canary-pass@host/x', 'https://joe:[secret]@host/x'],
    ['"url":"https:\\/\\/joe:canary@pass@host"', '"url":"https:\\/\\/joe:[secret]@host"'],
    ['git clone https://canaryTokenOfTwentySigns1@host.', 'git clone https://[secret]@host.'],
    ['redis://:canary@host:6379', 'redis://:[secret]@host:6379'],
    ['http://host:8080/a@b and https://joe@host and a:b@c', undefined],
    ['https://joe:[secret]@host', undefined],
  ])('are passwords in the address %s, wherever a chunk is cut', (text, shown = text) => {
    const bytes = Buffer.from(`see ${text} or not`);
    for (let size = 1; size <= bytes.length; size += 1) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(pass([], chunks)).toBe(`see ${shown} or not`);
    }
    expect(redact([], text)).toBe(shown);
  });

  test('in addresses are looked for in time that grows with the text', () => {
    const started = performance.now();
    for (const piece of [':', '://a:', '://', 'a', '@', ':@'])
      pass([], [Buffer.from(`://@${piece.repeat(200_000)}`)]);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test('are known as JSON writes them, on a line and in an answer of JSON on that line', () => {
    const secret = 'pass"word\\of\nlines';
    const line = JSON.stringify({ text: secret, answer: JSON.stringify({ reason: secret }) });
    expect(redact(asSaid([secret]), `${secret} ${line}`)).toBe(
      '[secret] {"text":"[secret]","answer":"{\\"reason\\":\\"[secret]\\"}"}',
    );
    expect(asSaid(['plain-enough'])).toEqual(['plain-enough']);
  });
});
