import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findChromium, measurePage, serveFolder } from '../../src/workflows/refine/browser/measure-page.ts';
import { accessibilityScore } from '../../src/workflows/refine/rules/measurement.ts';
import { optionalProgram } from '../support/optional-programs.ts';

const chromium = optionalProgram('chromium');

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-measure-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

const page = (body: string, head = '') =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>T</title><meta name="viewport" content="width=device-width">${head}</head><body><main><h1>T</h1>${body}</main></body></html>`;

function measure(folder: string, name = 'index.html', environment: NodeJS.ProcessEnv = process.env) {
  const { signal } = new AbortController();
  return measurePage({ folder, page: name, environment, screenshots: { folder, prefix: 's' }, signal });
}

test.skipIf(chromium === undefined)(
  'RF-15 dead is what does nothing when it is pressed: not what goes elsewhere, opens, submits, changes or is switched off',
  async () => {
    const folder = folderWith({
      'other.html': page('other'),
      'index.html': page(
        `<div id="root">
        <button id="dead">Dead</button><a id="hash" href="#">Hash</a><a id="void" href="javascript:void(0)">Void</a>
        <a id="lost" href="lost.html">Lost</a><a id="gone" href="#nowhere">Gone</a>
        <button id="delegated" class="act">Delegated</button><button id="ignored">Ignored by the delegate</button>
        <button id="direct" onclick="this.dataset.x = 1">Direct</button>
        <button id="leaves" onclick="location.href = 'other.html'">Leaves</button>
        <button id="opens" onclick="window.open('other.html')">Opens</button>
        <button id="asks" onclick="alert('x'); document.title = 'y'">Asks</button>
        <button id="off" disabled>Off</button>
        <a href="other.html">Other</a><a href="#root">Root</a><a href="mailto:a@example.com">Mail</a><a href="https://example.com/">Outside</a>
        <form action="other.html"><label>Name <input name="n" required></label><button id="sends">Sends</button></form>
      </div>
      <script>document.getElementById('root').addEventListener('click', (event) => { if (event.target.classList.contains('act')) event.target.textContent = 'done'; });</script>`,
      ),
    });
    const reading = await measure(folder);
    expect(reading.measured && reading.facts.deadElements).toEqual([
      'button#dead "Dead"',
      'a#hash "Hash"',
      'a#void "Void"',
      'a#gone "Gone"',
      'button#ignored "Ignored by the delegate"',
      'a#lost "Lost" leads nowhere',
    ]);
  },
);

test.skipIf(chromium === undefined)(
  'RF-15 a page reaches nothing outside, its own rules about scripts do not blind the measurement, errors are noted',
  async () => {
    const folder = folderWith({
      'index.html': page(
        '<p>Text</p><img src="http://127.0.0.1:9/x.png" alt="x"><script src="a.js"></script>',
        `<meta http-equiv="Content-Security-Policy" content="script-src 'self'">`,
      ),
      'a.js': "alert('hello'); throw new Error('broken on load');",
    });
    const reading = await measure(folder);
    expect(reading).toMatchObject({
      measured: true,
      facts: {
        failedRequests: ['http://127.0.0.1:9/x.png'],
        scriptErrors: ['broken on load'],
        mobile: { width: 375 },
        missingAlt: [],
      },
      screenshots: ['s-375.png', 's-1280.png'],
    });
    expect(readFileSync(path.join(folder, 's-375.png')).readUInt32BE(16)).toBe(375);
  },
);

test('RF-23 reports a missing browser, or one that does not start', async () => {
  const folder = folderWith({ 'index.html': page('x') });
  expect(await measure(folder, 'index.html', { PATH: '/nonexistent' })).toEqual({
    measured: false,
    reason: 'no Chromium was found on this machine',
  });
  expect(await measure(folder, 'index.html', { CHARRETTE_CHROMIUM: '/bin/true' })).toMatchObject({
    measured: false,
    reason: expect.stringContaining('the browser failed'),
  });
});

test.skipIf(chromium === undefined)('RF-23 reports a missing page', async () => {
  const folder = folderWith({ 'index.html': page('x') });
  expect(await measure(folder, 'none.html')).toMatchObject({
    measured: false,
    reason: expect.stringContaining('none.html'),
  });
});

test('a browser is found by its variable first, and can be switched off', () => {
  expect(findChromium({ CHARRETTE_CHROMIUM: '/bin/sh', PATH: '/usr/bin' })).toBe('/bin/sh');
  expect(findChromium({ CHARRETTE_CHROMIUM: 'none', PATH: '/usr/bin' })).toBeUndefined();
});

test('the page server serves only its folder', async () => {
  const folder = folderWith({ 'site/index.html': 'home', 'site/.env': 'secret', 'secret.txt': 'secret' });
  symlinkSync(path.join(folder, 'secret.txt'), path.join(folder, 'site', 'link.txt'));
  const server = await serveFolder(path.join(folder, 'site'));
  onTestFinished(() => server.close());
  const status = async (url: string) => (await fetch(`${server.origin}${url}`)).status;
  expect(
    await Promise.all(['/', '/index.html', '/.env', '/link.txt', '/..%2fsecret.txt', '/%00'].map(status)),
  ).toEqual([200, 200, 404, 404, 404, 404]);
});

test('RF-15 the accessibility score is the weight of what holds over what applies', () => {
  expect(accessibilityScore([], [])).toBe(100);
  expect(accessibilityScore(['image-alt', 'color-contrast', 'region'], [])).toBe(100);
  expect(accessibilityScore(['color-contrast', 'region'], ['image-alt'])).toBe(50);
  expect(accessibilityScore([], ['region'])).toBe(0);
});
