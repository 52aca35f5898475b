/** The page in a real browser: a finished design with agents, a hostile run, a live run that asks. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, openBrowser } from '../support/browser.ts';
import { type LiveProgram, startCharrette, until } from '../support/live-program.ts';
import { charrette, runsOf } from '../support/program.ts';
import { makeShop } from '../support/shop-panel.ts';
import { writeRun } from '../support/web-run.ts';
import { startServe } from '../support/web-server.ts';

/** WCAG 2.0 to 2.2, levels A and AA. */
const standard = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

const title = 'let customers cancel an order before it is shipped';

describe.skipIf(chromiumPath === undefined)('the page in Chromium', () => {
  let shop: Awaited<ReturnType<typeof makeShop>>;
  let served: Awaited<ReturnType<typeof startServe>>;
  let browser: Browser;
  let run = '';

  beforeAll(async () => {
    shop = await makeShop();
    const args = ['design', '--auto', '--yes', '--dialectic', 'binding', title];
    const ended = await charrette(args, { cwd: shop.project, env: { OPENAI_API_KEY: 'key-of-the-test' } });
    expect(ended.code, ended.stderr).toBe(0);
    run = runsOf(shop.project)[0] ?? '';
    served = await startServe(shop.project);
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    served?.live.kill('SIGTERM');
    await served?.live.ended;
    await shop?.close();
  });

  /** A page that fails the test on errors, blocked resources and requests to anywhere else. */
  async function visit(hash = '', options: Parameters<Browser['newContext']>[0] = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('request', (request) => {
      const address = request.url();
      if (!address.startsWith(served.origin) && !address.startsWith('data:'))
        problems.push(`request to ${address}`);
    });
    await page.goto(`${served.url}${hash}`);
    return { page, problems, close: () => context.close() };
  }

  async function showDiagram(page: Page): Promise<void> {
    await page.locator('#diagram').scrollIntoViewIfNeeded();
    await page.waitForSelector('.diagram img');
  }

  async function violations(page: Page): Promise<string[]> {
    // The page takes no script from strings, so the checker comes in through the debugger.
    const { result } = await (await page.context().newCDPSession(page)).send('Runtime.evaluate', {
      expression: `${axe.source}; axe.run(document, { runOnly: ${JSON.stringify(standard)} }).then((found) => JSON.stringify(found.violations.map((each) => each.id + ': ' + each.nodes.map((node) => node.target).join(' | '))))`,
      awaitPromise: true,
      returnByValue: true,
    });
    return JSON.parse(String(result.value)) as string[];
  }

  test('lists the runs and opens one; the token leaves the address', async () => {
    const { page, problems, close } = await visit();
    await page.getByRole('link', { name: new RegExp(title) }).click();
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    expect(page.url()).not.toContain('token');
    expect(problems).toEqual([]);
    await close();
  });

  test('shows the design from its lanes to its cost', async () => {
    const { page, problems, close } = await visit(`#/runs/${run}`);
    await page.waitForSelector('.gantt');
    const text = (selector: string) => page.locator(selector).innerText();
    expect(await page.locator('.lane').count()).toBeGreaterThan(20);
    expect(await page.locator('.lane button').first().textContent()).toMatch(/sketch by \w+: ok/);
    expect(await page.locator('.sheet').count()).toBe(4);
    expect(await text('#synthesis')).toContain('Keep the refund id in the order.');
    expect(await page.locator('#debates .debate').count()).toBe(2);
    expect(await text('#debates')).toContain('prevails');
    expect(await page.locator('.sections h2').allTextContents()).toEqual([
      'Plan',
      'Architecture',
      'Decisions',
      'Findings',
      'Votes',
      'Synthesis',
      'Sketches',
      'Timeline',
      'Cost',
      'Files',
      'Log',
    ]);
    expect(await page.locator('#findings .finding').count()).toBe(5);
    await page.locator('#findings').scrollIntoViewIfNeeded();
    await page.locator('.finding .source .cited', { hasText: 'async #charge' }).first().waitFor();
    expect(await page.locator('#votes .vote').count()).toBe(15);
    expect(await text('#cost')).toMatch(/unknown/);
    expect(await page.locator('#cost .swatch.measured').count()).toBeGreaterThan(3);
    await page.getByRole('tab', { name: /Before and after review/ }).click();
    expect(await page.locator('.diff-added').count()).toBeGreaterThan(2);
    await page.getByRole('tab', { name: 'Plan', exact: true }).click();
    await page.locator('.notes .note').first().click();
    expect(await page.evaluate(() => document.activeElement?.id)).toMatch(/^FINDING_\d/);
    await showDiagram(page);
    const drawing = page.locator('.diagram img');
    await expect
      .poll(() => drawing.evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(100);
    expect(problems).toEqual([]);
    await close();
  });

  test('authors of a debate show only when they are asked for', async () => {
    const { page, close } = await visit(`#/runs/${run}/debates`);
    const debate = page.locator('.debate').first();
    await debate.getByText('Unveil the authors').click();
    expect(await debate.locator('.unveiled').innerText()).toMatch(/argued by\s+(?:alpha|beta|gamma)/);
    await close();
  });

  test('a citation opens the cited lines at the base commit', async () => {
    const { page, close } = await visit(`#/runs/${run}`);
    await page.getByRole('button', { name: 'src/orders/order.ts:18-23' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('.cited').first().waitFor();
    expect(await dialog.locator('.cited').count()).toBe(6);
    expect(await dialog.locator('.cited').first().innerText()).toContain('allowedChanges');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await close();
  });

  test('can be used by keyboard alone', async () => {
    const { page, close } = await visit(`#/runs/${run}`);
    await page.waitForSelector('.gantt');
    await page.waitForSelector('#plan');
    await page.waitForSelector('.section-nav a[aria-current][href*=plan]');
    await page.keyboard.press('j');
    await page.waitForFunction(() => document.activeElement?.id === 'diagram');
    await page.keyboard.press('t');
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
    const lane = page.locator('.lane button').first();
    await lane.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await lane.evaluate((element) => element === document.activeElement)).toBe(true);
    await close();
  });

  test.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['on a phone', { viewport: { width: 390, height: 844 }, isMobile: true }],
  ] as const)('meets WCAG 2.2 AA, %s', async (_name, options) => {
    const { page, close } = await visit(`#/runs/${run}`, options);
    await page.waitForSelector('.gantt');
    await showDiagram(page);
    expect(await violations(page)).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    await page.goto(`${served.origin}/#/`);
    await page.waitForSelector('.run-card');
    expect(await violations(page)).toEqual([]);
    await close();
  });

  test('the report is one file that opens from disk, shows the same, and makes no request', async () => {
    const file = path.join(shop.project, 'out', 'report.html');
    const ended = await charrette(['report', 'latest', '--html', '--out', file], { cwd: shop.project });
    expect(ended.code, ended.stderr).toBe(0);
    const context = await browser.newContext({ offline: true });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('request', (request) => {
      if (!/^(?:file|data|about):/.test(request.url())) problems.push(request.url());
    });
    await page.goto(`file://${file}`);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    expect(await page.locator('.sheet').count()).toBe(4);
    expect(await page.locator('#votes .vote').count()).toBe(15);
    await showDiagram(page);
    await page.getByRole('button', { name: 'src/orders/order.ts:18-23' }).first().click();
    const cited = page.getByRole('dialog').locator('.cited');
    await cited.first().waitFor();
    expect(await cited.count()).toBe(6);
    await page.keyboard.press('Escape');
    expect(problems).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await context.close();
  });

  test('one click in the list answers a question, and the run continues', async () => {
    const live: LiveProgram = startCharrette(
      ['design', '--auto', '--no-branch', '--max-tokens', '10', '--output', 'stream-json', 'add a gift list'],
      { cwd: shop.project, env: { OPENAI_API_KEY: 'key-of-the-test' } },
    );
    const ended = await live.ended;
    // Without a terminal the consent question pauses it.
    expect(ended.code, ended.stderr).toBe(7);
    const asking = runsOf(shop.project).find((id) => id.includes('gift')) ?? '';
    const { page, close } = await visit(`#/runs/${asking}`);
    await page.getByRole('heading', { name: /question/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.goto(`${served.origin}/#/`);
    const card = page.locator('.run-card', { hasText: 'gift list' });
    await card.getByText('read this repository?').waitFor();
    expect(await violations(page)).toEqual([]);
    // The keyboard reaches the title, then the answers.
    await card.getByRole('link').focus();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Yes/);
    await page.keyboard.press('Enter');
    const events = () =>
      readFileSync(path.join(shop.project, '.charrette', 'runs', asking, 'events.jsonl'), 'utf8');
    await until(() => events().includes('"question-answer"'));
    expect(events()).toContain('"source":"person"');
    await until(() => /"run-pause"|"run-end"/.test(events().slice(events().indexOf('"question-answer"'))));
    await close();
    await charrette(['cancel', asking], { cwd: shop.project });
  });

  test('a form starts a run; a value that the command refuses is reported', async () => {
    const { page, close } = await visit();
    await page.getByRole('link', { name: 'New run' }).click();
    await page.getByLabel(/^What to design/).fill('add a wish list');
    await page.getByLabel(/--depth/).selectOption('solo');
    await page.getByLabel(/--max-usd/).fill('much');
    await page.getByLabel(/--no-branch/).check();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Start design' }).click();
    await page.getByRole('alert').getByText('--max-usd').waitFor();
    await page.getByLabel(/--max-usd/).fill('');
    await page.getByRole('button', { name: 'Start design' }).click();
    const heading = page.getByRole('heading', { level: 1, name: 'add a wish list' });
    await heading.or(page.getByRole('alert')).first().waitFor();
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
    await heading.waitFor();
    const started = runsOf(shop.project).find((id) => id.includes('wish')) ?? '';
    const record = JSON.parse(
      readFileSync(path.join(shop.project, '.charrette', 'runs', started, 'run.json'), 'utf8'),
    ) as { inputs: unknown };
    expect(record.inputs).toMatchObject({ sketches: 0, estimate: { calls: 2 } });
    await close();
    await charrette(['cancel', started], { cwd: shop.project });
  });

  test('shows agents’ text and never executes it: script, Markdown, mermaid, terminal colours', async () => {
    const hostile = writeRun(
      { run: '20260102-000000-hostile-00000002', title: '<img src=x onerror=alert(1)>' },
      shop.project,
    );
    const attack =
      '<script>window.owned = 1</script><img src=x onerror="window.owned = 2">\n\n[click](javascript:window.owned=3) ![pixel](http://evil.example/p.png)\n\n<iframe srcdoc="<script>parent.owned = 4</script>"></iframe> \u001b[31mred\u001b]8;;http://evil.example\u0007 \u202etxet';
    hostile.emit(
      { type: 'run-start', workflow: 'design', title: attack },
      { type: 'lane-queue', lane: 'a-sketch-arch', task: 'sketch', seat: 'arch', label: attack, phase: '2a' },
      {
        type: 'lane-end',
        lane: 'a-sketch-arch',
        agent: attack,
        kind: 'ok',
        elapsedMs: 1,
        usage: { basis: 'unknown', inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
      },
      { type: 'warning', text: attack },
      { type: 'run-end', status: 'done', exit: 0 },
    );
    hostile.artifact('a-sketch-arch-output.txt', attack);
    hostile.artifact('plan.txt', `# Plan: x\n\n${attack}\n`);
    hostile.artifact(
      'architecture-diagram.md',
      '## Architecture Diagram\n\n```mermaid\nflowchart LR\n  a["<img src=x onerror=parent.owned=5>"] --> b\n  click a "javascript:parent.owned=6"\n  click b call alert()\n```\n',
    );
    const { page, problems, close } = await visit(`#/runs/${hostile.directory.id}`);
    await page.waitForSelector('.gantt');
    await showDiagram(page);
    await page.locator('.diagram img').click({ force: true });
    for (const link of await page.locator('.prose span', { hasText: 'click' }).all()) await link.click();
    await page.getByRole('button', { name: 'plan.txt' }).click();
    await page.getByRole('dialog').locator('.prose').waitFor();
    expect(await page.evaluate(() => (globalThis as { owned?: unknown }).owned)).toBeUndefined();
    expect(await page.locator('#app script, #app iframe, a[href^=javascript]').count()).toBe(0);
    const shown = await page.locator('#app').innerText();
    expect(shown).toContain('<script>window.owned = 1</script>');
    expect(shown).not.toMatch(/[\u001b\u202e]/);
    // The drawing board may try what a diagram tells it; its own policy stops that.
    expect(problems.filter((problem) => !problem.includes('The action has been blocked'))).toEqual([]);
    await close();
  });

  test('a page of another origin can neither read the API, frame the page nor answer a question', async () => {
    const other = createServer((_request, response) =>
      response.setHeader('Content-Type', 'text/html').end('<p>evil</p>'),
    );
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const evil = `http://localhost:${(other.address() as AddressInfo).port}/`;
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(served.url);
    await page.waitForSelector('.run-card');
    await page.goto(evil);
    const tried = await page.evaluate(
      async ([origin = '', id = '']) => {
        const attempt = async (init?: RequestInit) => {
          try {
            return (await fetch(`${origin}/api/runs`, { credentials: 'include', ...init })).status;
          } catch {
            return 'blocked';
          }
        };
        const form = document.createElement('form');
        form.method = 'post';
        form.enctype = 'text/plain';
        form.action = `${origin}/api/runs/${id}/cancel`;
        const frame = document.createElement('iframe');
        frame.name = 'sink';
        form.target = 'sink';
        document.body.append(frame, form);
        // What is refused loads, too: an error in place of the page.
        const loaded = (each: HTMLIFrameElement) =>
          new Promise((resolve) => each.addEventListener('load', resolve, { once: true }));
        const sent = loaded(frame);
        form.submit();
        const inside = document.createElement('iframe');
        inside.src = `${origin}/`;
        const shown = loaded(inside);
        document.body.append(inside);
        await Promise.all([sent, shown]);
        let framed = 'refused';
        try {
          framed =
            inside.contentDocument === null ? 'refused' : (inside.contentDocument.body?.innerText ?? '');
        } catch {
          // Another origin, as it should be.
        }
        return {
          read: await attempt(),
          simple: await attempt({ mode: 'no-cors', method: 'POST', body: 'x' }),
          framed,
        };
      },
      [served.origin, run],
    );
    expect(tried.read).toBe('blocked');
    expect(tried.framed).toBe('refused');
    expect(
      page
        .frames()
        .every(
          (frame) =>
            !frame.url().startsWith(served.origin) ||
            frame.url().includes('chrome-error') ||
            frame.parentFrame() !== null,
        ),
    ).toBe(true);
    const record = readFileSync(path.join(shop.project, '.charrette', 'runs', run, 'run.json'), 'utf8');
    expect(record).toContain('"done"');
    await context.close();
    other.close();
  });
});
