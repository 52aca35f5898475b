// The web page under load, in a real Chromium: `node bench/web.ts`.
// A run of 5,000 events: first paint and how long the page is busy with each new event. Then fifty raw streams and eight
// tabs follow a live run: how much later than written each event is seen.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { EventBody } from '../src/engine/event.ts';
import { thisProcess } from '../src/engine/lock.ts';
import { openBrowser } from '../test/support/browser.ts';
import { writeRun } from '../test/support/web-run.ts';
import { calibrate, calibrationLine, table } from './calibration.ts';

const root = path.resolve(import.meta.dirname, '..');
const goals = { bundle: 250, paint: 1500, event: 16, lag: 500 };
const lanes = 1200;
const tabs = 8;
const clients = 50;
const liveEvents = 300;

process.stdout.write(`${calibrationLine(calibrate())}\n\n`);
const bundle = ['app.js', 'app.css', 'font.css', 'stream.js', 'index.html']
  .map((name) => gzipSync(readFileSync(path.join(root, 'dist', 'web', name))).length)
  .reduce((sum, size) => sum + size, 0);

const usage = { basis: 'measured', inputTokens: 1200, cachedInputTokens: 0, outputTokens: 300 } as const;
const run = writeRun({ status: 'running', process: thisProcess(), title: 'five thousand events' });
run.emit({ type: 'run-start', workflow: 'design', title: 'five thousand events' });
run.emit(...manyLanes(), { type: 'note', text: 'the last one' });
const server = spawn(process.execPath, [path.join(root, 'bin', 'charrette'), 'serve', '--port', '0'], {
  cwd: run.home.project,
  stdio: ['ignore', 'pipe', 'ignore'],
});
const [line] = await once(server.stdout, 'data');
const url = String(line).trim();
const browser = await openBrowser();
try {
  const { paint, busy, processor } = await openLargeRun();
  const lag = await followLive();
  const rows = [
    ['page without mermaid, gzip', `${(bundle / 1024).toFixed(1)} KB`, `≤ ${goals.bundle} KB`],
    ['5,000 events: first paint of the run', `${paint.toFixed(0)} ms`, `≤ ${goals.paint} ms`],
    ['an event more: page busy, median', `${percentile(busy, 50).toFixed(1)} ms`, ''],
    ['an event more: page busy, p99', `${percentile(busy, 99).toFixed(1)} ms`, `≤ ${goals.event} ms`],
    ['an event more: processor time, mean', `${processor.toFixed(1)} ms`, `≤ ${goals.event} ms`],
    [`${clients} streams, lag p99`, `${percentile(lag.streams, 99).toFixed(0)} ms`, `≤ ${goals.lag} ms`],
    [`${tabs} tabs, lag p99`, `${percentile(lag.tabs, 99).toFixed(0)} ms`, `≤ ${goals.lag} ms`],
  ];
  process.stdout.write(`${table([['the page', 'measured', 'goal'], ...rows])}\n`);
  const kept =
    bundle / 1024 <= goals.bundle &&
    paint <= goals.paint &&
    percentile(busy, 99) <= goals.event &&
    Math.max(percentile(lag.streams, 99), percentile(lag.tabs, 99)) <= goals.lag;
  if (!kept) process.exitCode = 1;
} finally {
  await browser.close();
  server.kill('SIGTERM');
  run.remove();
}

/** 1,200 lanes of four events in twenty-four steps, all of them open, and the steps themselves: about 5,000. */
function manyLanes(): EventBody[] {
  return Array.from({ length: lanes }, (_, index): EventBody[] => {
    const [lane, phase] = [`lane-${index}`, `step ${Math.floor(index / 50)}`];
    const agent = `agent-${index % 4}`;
    return [
      ...(index % 50 === 0 ? [{ type: 'phase-start', phase, line: phase } as const] : []),
      { type: 'lane-queue', lane, task: 'sketch', seat: lane, label: `Seat ${index}`, phase },
      { type: 'lane-start', lane, agent, attempt: 1 },
      { type: 'note', phase, text: `note ${index}` },
      { type: 'lane-end', lane, agent, kind: 'ok', elapsedMs: 900, usage },
      ...(index % 50 === 49 ? [{ type: 'phase-end', phase, elapsedMs: 1000 } as const] : []),
    ];
  }).flat();
}

async function openLargeRun(): Promise<{ paint: number; busy: number[]; processor: number }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const session = await page.context().newCDPSession(page);
  // Processor time of the page's thread: what other programs take does not count.
  await session.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' });
  await session.send('Performance.enable');
  const spent = async () =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')
      ?.value ?? 0;
  // The first visit fetches the token; the measured one is a visit like every other.
  await page.goto(url);
  await page.waitForSelector('.run-card');
  await page.goto('about:blank');
  await page.goto(`${new URL(url).origin}/#/runs/${run.directory.id}`);
  await page.waitForSelector('.lane');
  const paint = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
      }),
  );
  await page.waitForTimeout(1500);
  await page.evaluate(() => performance.clearMeasures());
  const before = await spent();
  for (let index = 0; index < 200; index += 1) {
    run.emit({ type: 'note', text: `one more ${index}` });
    await sleep(20);
  }
  await page.waitForTimeout(1000);
  const processor = ((await spent()) - before) * (1000 / 200);
  const busy = await page.evaluate(() =>
    performance.getEntriesByName('charrette-apply').map((entry) => {
      const { detail } = entry as PerformanceMeasure;
      return entry.duration / Math.max(1, Number(detail));
    }),
  );
  await page.close();
  return { paint, busy, processor };
}

async function followLive(): Promise<{ streams: number[]; tabs: number[] }> {
  const { origin, searchParams } = new URL(url);
  const token = searchParams.get('token') ?? '';
  const live = writeRun(
    { run: '20260101-000001-live-00000002', status: 'running', process: thisProcess(), title: 'live' },
    run.home.project,
  );
  live.emit({ type: 'run-start', workflow: 'design', title: 'live' });
  const address = `${origin}/api/runs/${live.directory.id}/stream`;
  const streams: number[] = [];
  const requests = Array.from({ length: clients }, () =>
    get(address, { headers: { Authorization: `Bearer ${token}` } }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        const now = Date.now();
        for (const [, written] of text.matchAll(/"time":"([^"]+)","type":"note"/g))
          streams.push(now - Date.parse(written ?? ''));
      });
    }).on('error', () => {}),
  );
  const context = await browser.newContext();
  // A browser opens six connections to a server; eight tabs see anything only because they share one stream.
  const pages = await Promise.all(
    Array.from({ length: tabs }, async () => {
      const page = await context.newPage();
      await page.addInitScript(() => {
        const seen: number[] = [];
        Object.assign(globalThis, { seen });
        new MutationObserver((records) => {
          for (const { addedNodes } of records)
            for (const node of addedNodes) {
              const text = node instanceof HTMLElement ? (node.textContent ?? '') : '';
              const written = /written (\d+)$/.exec(text)?.[1];
              if (written !== undefined) seen.push(Date.now() - Number(written));
            }
        }).observe(document, { childList: true, subtree: true });
      });
      return page;
    }),
  );
  for (const page of pages) {
    await page.goto(`${url}#/runs/${live.directory.id}`);
    await page.waitForSelector('#log');
  }
  await sleep(1000);
  for (let index = 0; index < liveEvents; index += 1) {
    live.emit({ type: 'note', text: `event ${index} written ${Date.now()}` });
    await sleep(30);
  }
  await sleep(1500);
  const seen = await Promise.all(
    pages.map((page) => page.evaluate(() => (globalThis as unknown as { seen: number[] }).seen)),
  );
  for (const request of requests) request.destroy();
  await context.close();
  const all = seen.flat();
  if (streams.length < clients * liveEvents || all.length < tabs * liveEvents)
    process.stdout.write(
      `events were lost: ${streams.length} of ${clients * liveEvents} by streams, ${all.length} of ${tabs * liveEvents} by tabs\n`,
    );
  return { streams, tabs: all };
}

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * part) / 100))] ?? Number.NaN;
}
