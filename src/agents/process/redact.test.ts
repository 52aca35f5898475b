import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asSaid, blotOut, Redactor, secretsIn } from './redact.ts';

function pass(secrets: readonly string[], chunks: readonly Uint8Array[]): string {
  const redactor = new Redactor(secrets);
  const parts = chunks.map((chunk) => Buffer.from(redactor.push(chunk)));
  return Buffer.concat([...parts, Buffer.from(redactor.end())]).toString('utf8');
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

  test('are blotted out wherever a chunk is cut, and nothing else changes', () => {
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

  test('any bytes pass unchanged where there is no secret in them', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 }), (chunks) => {
        const redactor = new Redactor(['no such thing here']);
        const parts = chunks.map((chunk) => Buffer.from(redactor.push(chunk)));
        const passed = Buffer.concat([...parts, Buffer.from(redactor.end())]);
        expect(passed.equals(Buffer.concat(chunks))).toBe(true);
      }),
    );
  });

  test('are known as JSON writes them, on a line and in an answer of JSON on that line', () => {
    const secret = 'pass"word\\of\nlines';
    const line = JSON.stringify({ text: secret, answer: JSON.stringify({ reason: secret }) });
    expect(blotOut(asSaid([secret]), `${secret} ${line}`)).toBe(
      '[secret] {"text":"[secret]","answer":"{\\"reason\\":\\"[secret]\\"}"}',
    );
    expect(asSaid(['plain-enough'])).toEqual(['plain-enough']);
  });
});
