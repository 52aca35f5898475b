import { expect, test } from 'vitest';
import { CharretteError } from '../../base/errors.ts';
import { RunLostError } from '../../engine/queue/mirror.ts';
import { classifyStartFailure, type Fault } from './places.ts';

const coded = (code: string, message = code) => Object.assign(new Error(message), { code });

const noAccess = new CharretteError({ code: 'permission-denied', message: 'no' });

test.each<[string, unknown, Fault]>([
  ['a run of another worker', new RunLostError('r'), 'lost'],
  ['a full disk', coded('ENOSPC'), 'machine'],
  ['a full disk below another error', new Error('no copy', { cause: coded('EDQUOT') }), 'machine'],
  ['a disk that cannot be written', coded('EROFS'), 'machine'],
  ['too many open files', coded('EMFILE'), 'machine'],
  ['a full disk in our words', new CharretteError({ code: 'disk-full', message: 'full' }), 'machine'],
  ['a cut connection', new Error('Connection terminated unexpectedly'), 'store'],
  ['a server that starts', coded('57P03'), 'store'],
  ['a server that owes an answer', coded('ETIMEDOUT', 'the server owes an answer'), 'store'],
  ['a lock that others hold', coded('55P03'), 'store'],
  ['no server', new CharretteError({ code: 'store-unreachable', message: 'away' }), 'store'],
  ['files of no use', new CharretteError({ code: 'store-corrupt', message: 'damaged' }), 'run'],
  ['no record', new CharretteError({ code: 'run-not-found', message: 'gone' }), 'run'],
  ['a directory of another user', coded('EACCES'), 'machine'],
  ['a directory of another user, as our error', noAccess, 'machine'],
  ['a file that may not be changed', coded('EPERM'), 'machine'],
  ['a file in use', coded('EBUSY'), 'machine'],
  ['a file that is missing', coded('ENOENT'), 'run'],
  ['a server that refuses', coded('ECONNREFUSED'), 'store'],
  ['a mistake', new TypeError('undefined is not a function'), 'run'],
  ['no error at all', undefined, 'run'],
])('who is at fault: %s', (_name, error, fault) => {
  expect(classifyStartFailure(error)).toBe(fault);
});
