import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPassword, hashPassword } from '../src/auth/passwords.ts';
import { issueToken, verifyToken } from '../src/auth/tokens.ts';

const now = new Date('2026-03-01T12:00:00Z');
const claims = { customerId: 'ada', expiresAt: now.getTime() + 1000 };

test('a token is read back until it expires', () => {
  const token = issueToken('secret', claims);
  assert.deepEqual(verifyToken('secret', token, now), claims);
  assert.equal(verifyToken('secret', token, new Date(claims.expiresAt)), undefined);
});

test('another secret or a changed token is refused', () => {
  const token = issueToken('secret', claims);
  assert.equal(verifyToken('other', token, now), undefined);
  assert.equal(verifyToken('secret', `x${token}`, now), undefined);
});

test('a password is checked against its hash', () => {
  const stored = hashPassword('correct horse');
  assert.ok(checkPassword('correct horse', stored));
  assert.ok(!checkPassword('wrong horse', stored));
});
