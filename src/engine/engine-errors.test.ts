import { expect, test } from 'vitest';
import { serverError } from './engine-errors.ts';

const withCode = (message: string, code: string) => Object.assign(new Error(message), { code });

test.each([
  withCode('password authentication failed for user "me"', '28P01'),
  new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
])('a server that refuses a login has answered, and asking again is of no use: %s', (cause) => {
  const { message, fix, retryable } = serverError(cause);
  expect(message).toMatch(/^The PostgreSQL server refuses: /);
  expect([fix, retryable]).toEqual(['Check the user and the password in CHARRETTE_DATABASE_URL.', undefined]);
});

test.each([
  withCode('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED'),
  withCode('the database system is starting up', '57P03'),
])('reports a server that may answer later as unreachable: %s', (cause) => {
  expect(serverError(cause)).toMatchObject({ code: 'store-unreachable', retryable: true });
});
