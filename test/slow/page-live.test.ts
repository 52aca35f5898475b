/** A run that is watched while it runs, and a connection that is lost in between. */
import { createServer } from 'node:http';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { thisProcess } from '../../src/engine/lock.ts';
import { openProject } from '../../src/service/project.ts';
import { loadPageFiles } from '../../src/surfaces/web/page-files.ts';
import { startWebServer, type WebServer } from '../../src/surfaces/web/server.ts';
import { chromiumPath, openBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/live-program.ts';
import { type WrittenRun, writeRun } from '../support/web-run.ts';

const files = path.resolve(import.meta.dirname, '..', '..', 'dist', 'web');
const usage = { basis: 'measured', inputTokens: 900, cachedInputTokens: 0, outputTokens: 100 } as const;

describe.skipIf(chromiumPath === undefined)('a live run in Chromium', () => {
  let browser: Browser;
  let run: WrittenRun;
  let server: WebServer;

  const serve = (port: number, token = 'token-of-the-test') =>
    startWebServer(
      {
        project: openProject(run.home.project, { env: {}, program: ['node', 'nothing'] }),
        prices: undefined,
        commands: {},
      },
      { host: '127.0.0.1', port, names: [], files: loadPageFiles(files), token },
    );

  beforeAll(async () => {
    run = writeRun({ status: 'running', process: thisProcess() });
    run.emit({ type: 'run-start', workflow: 'design', title: 'a written run' });
    run.emit({ type: 'phase-start', phase: '2a', line: 'sketches' });
    server = await serve(await freePort());
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    run?.remove();
  });

  test('events appear as they are written; those written while the server was away follow', async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}#/runs/${run.directory.id}`);
    await page.waitForSelector('.phase');
    expect(await page.locator('.lane').count()).toBe(0);
    run.emit({ type: 'lane-queue', lane: 'a', task: 'sketch', seat: 'a', label: 'Seat A', phase: '2a' });
    run.emit({ type: 'lane-start', lane: 'a', agent: 'one', attempt: 1 });
    await page.waitForSelector('.lane .bar.is-running');
    await server.close();
    await page.getByText('Connection lost').waitFor();
    run.emit({ type: 'lane-end', lane: 'a', agent: 'one', kind: 'ok', elapsedMs: 1000, usage });
    run.emit({ type: 'note', text: 'written while disconnected' });
    server = await serve(server.port);
    await page.waitForSelector('.lane .bar.is-ok');
    await page.getByText('written while disconnected').waitFor();
    await page.getByText('Connection lost').waitFor({ state: 'detached' });
    await page.close();
  });

  test('after a proxy has answered 503 and the server has a new token, old and new tabs receive events', async () => {
    const context = await browser.newContext();
    const [old, list, fresh] = [await context.newPage(), await context.newPage(), await context.newPage()];
    await list.goto(server.url);
    await list.waitForSelector('.runs');
    await old.goto(`${server.url}#/runs/${run.directory.id}`);
    await old.waitForSelector('.phase');
    run.emit({ type: 'note', text: 'before the server went' });
    await old.getByText('before the server went').waitFor();
    await server.close();
    const refusing = await refuseAll(server.port);
    await old.getByText('Connection lost').waitFor();
    await list.getByRole('alert').waitFor();
    await list.locator('.run-card').first().waitFor();
    await until(() => refusing.streams() > 1);
    await refusing.close();
    server = await serve(server.port, 'another-token');
    await list.getByText('The token is missing').waitFor();
    await fresh.goto(`${server.url}#/runs/${run.directory.id}`);
    await fresh.waitForSelector('.phase');
    run.emit({ type: 'note', text: 'after it came back' });
    for (const page of [fresh, old]) {
      await page.getByText('after it came back').waitFor();
      await page.getByText('Connection lost').waitFor({ state: 'detached' });
    }
    await list.getByRole('alert').waitFor({ state: 'detached' });
    await context.close();
  });

  test('eight tabs follow one run, more than a browser has connections', async () => {
    const context = await browser.newContext();
    const pages = await Promise.all(Array.from({ length: 8 }, () => context.newPage()));
    for (const page of pages) {
      await page.goto(`${server.url}#/runs/${run.directory.id}`);
      await page.waitForSelector('.phase');
    }
    run.emit({ type: 'note', text: 'for all of you' });
    await Promise.all(pages.map((page) => page.getByText('for all of you').waitFor()));
    await context.close();
  });

  test('a run whose process is gone is shown as interrupted, without an event that says so', async () => {
    const dead = writeRun(
      {
        run: '20260103-000000-dead-00000003',
        status: 'running',
        process: { ...thisProcess(), started: '1', pid: process.pid },
      },
      run.home.project,
    );
    dead.emit({ type: 'run-start', workflow: 'design', title: 'x' });
    const page = await browser.newPage();
    await page.goto(`${server.url}#/runs/${dead.directory.id}`);
    await page.locator('.status.is-interrupted').waitFor();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await page.close();
  });
});

/** A proxy whose server is away. */
async function refuseAll(port: number): Promise<{ streams: () => number; close: () => Promise<void> }> {
  let streams = 0;
  const proxy = createServer((request, response) => {
    if (request.url?.includes('/stream?') === true) streams += 1;
    response.writeHead(503).end('The server is away.');
  });
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
  return {
    streams: () => streams,
    async close() {
      const closed = new Promise<void>((resolve) => proxy.close(() => resolve()));
      proxy.closeAllConnections();
      await closed;
    },
  };
}
