import { expect, test } from 'vitest';
import { type Approach, loopbackNames, refuseHost, refuseOrigin, refuseUnauthorized } from './guard.ts';

const house = { token: 'secret', port: 4747, hosts: loopbackNames, names: ['build.example'] };
const visit: Approach = {
  method: 'GET',
  host: '127.0.0.1:4747',
  origin: undefined,
  fetchSite: undefined,
  cookie: undefined,
  authorization: undefined,
  contentType: undefined,
  query: undefined,
};

test('only names that the server goes by are answered (DNS rebinding)', () => {
  for (const host of ['127.0.0.1:4747', 'localhost:4747', 'LOCALHOST:4747', '[::1]:4747'])
    expect(refuseHost({ ...visit, host }, house), host).toBeUndefined();
  for (const host of [
    undefined,
    '',
    'evil.example:4747',
    '127.0.0.1',
    '127.0.0.1:80',
    '127.0.0.1.evil.example:4747',
    'localhost:4747@evil.example',
    'evil.example#127.0.0.1:4747',
    '127.0.0.1:4747, evil.example',
  ])
    expect(refuseHost({ ...visit, host }, house)?.status, String(host)).toBe(421);
});

test('other origins and sites are refused, whatever token they bring', () => {
  for (const origin of ['http://evil.example', 'http://127.0.0.1:1', 'null', 'https://127.0.0.1:4747'])
    expect(refuseOrigin({ ...visit, origin, query: 'secret' }, house)?.status, origin).toBe(403);
  for (const fetchSite of ['cross-site', 'same-site', 'anything'])
    expect(refuseOrigin({ ...visit, fetchSite }, house)?.status).toBe(403);
  expect(
    refuseOrigin({ ...visit, origin: 'http://127.0.0.1:4747', fetchSite: 'same-origin' }, house),
  ).toBeUndefined();
});

test('a proxy that speaks TLS forwards its name, with its own port or none; names like it are others', () => {
  for (const host of ['build.example', 'BUILD.example:443', 'build.example:8443', 'build.example:4747'])
    expect(refuseHost({ ...visit, host }, house), host).toBeUndefined();
  for (const host of [
    'x.build.example',
    'build.example.evil.example',
    'build.example:x',
    'build.example@evil',
  ])
    expect(refuseHost({ ...visit, host }, house)?.status, host).toBe(421);
});

test('the page behind a proxy is an own origin over HTTPS only, whatever the proxy makes of Host', () => {
  for (const host of ['build.example', '127.0.0.1:4747'])
    for (const origin of ['https://build.example', 'https://Build.example:8443', 'http://build.example:4747'])
      expect(
        refuseOrigin({ ...visit, host, origin, fetchSite: 'same-origin' }, house),
        origin,
      ).toBeUndefined();
  for (const origin of [
    'http://build.example',
    'https://evil.example',
    'https://x.build.example',
    'https://build.example.evil.example',
    'https://build.example@evil.example',
    'https://build.example/',
    'https://localhost',
    'https://127.0.0.1:4747',
  ])
    expect(refuseOrigin({ ...visit, host: 'build.example', origin }, house)?.status, origin).toBe(403);
  // Another service under the same name: the browser says so.
  const neighbour = { ...visit, host: 'build.example', origin: 'https://build.example:8443' };
  for (const fetchSite of ['same-site', 'cross-site'])
    expect(refuseOrigin({ ...neighbour, fetchSite }, house)?.status).toBe(403);
});

test('a form cannot post: only JSON is taken', () => {
  const post = { ...visit, method: 'POST' };
  for (const contentType of [
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
  ])
    expect(refuseOrigin({ ...post, contentType }, house)?.status).toBe(415);
  expect(refuseOrigin({ ...post, contentType: 'application/json' }, house)).toBeUndefined();
});

test('the token opens as cookie, bearer or query, and nothing else does', () => {
  const allowed: Partial<Approach>[] = [
    { cookie: 'charrette-4747=secret' },
    { cookie: 'other=1; charrette-4747=secret' },
    { authorization: 'Bearer secret' },
    { query: 'secret' },
  ];
  for (const each of allowed) expect(refuseUnauthorized({ ...visit, ...each }, house)).toBeUndefined();
  const refused: Partial<Approach>[] = [
    {},
    { cookie: 'charrette-4748=secret' },
    { cookie: 'charrette-4747=secre' },
    { authorization: 'Basic secret' },
    { query: '' },
    { query: 'SECRET' },
  ];
  for (const each of refused) expect(refuseUnauthorized({ ...visit, ...each }, house)?.status).toBe(401);
});
