import { accessSync, constants, createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { writeFileAtomic } from '../../../base/files/atomic.ts';
import { containedPath } from '../../../base/files/bounded.ts';
import { accessibilityScore } from '../rules/measurement.ts';
import { probeInteraction, probePage } from './page-probe.ts';

type MeasureOptions = {
  /** The folder that is served, and the page in it. */
  folder: string;
  page: string;
  environment: NodeJS.ProcessEnv;
  /** Where pictures go: `<prefix>-375.png`, `<prefix>-1280.png`. */
  screenshots: { folder: string; prefix: string };
  signal: AbortSignal;
};

type PageReading =
  | { measured: true; browser: string; facts: Awaited<ReturnType<typeof readFacts>>; screenshots: string[] }
  | { measured: false; reason: string };

const widths = [
  { width: 375, height: 667 },
  { width: 1280, height: 800 },
] as const;
const stepMs = 30_000;
const tallest = 6000;

/** Measures a page in a browser of this machine; without a browser it reports that as the reason. */
export async function measurePage(options: MeasureOptions): Promise<PageReading> {
  const executablePath = findChromium(options.environment);
  if (executablePath === undefined)
    return { measured: false, reason: 'no Chromium was found on this machine' };
  const library = await import('playwright-core').catch(() => undefined);
  const axe = axeScript();
  if (library === undefined || axe === undefined)
    return {
      measured: false,
      reason: 'playwright-core or axe-core is not installed (run `npm install -g playwright-core axe-core`)',
    };
  const server = await serveFolder(options.folder);
  let browser: Browser | undefined;
  const stop = () => void browser?.close().catch(() => {});
  options.signal.addEventListener('abort', stop, { once: true });
  try {
    browser = await library.chromium.launch({
      executablePath,
      // Chromium refuses its own sandbox to root; the page is the project's and reaches nothing but this server.
      chromiumSandbox: process.getuid?.() !== 0,
      args: [
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
      timeout: stepMs,
    });
    const facts = await readFacts(
      browser,
      `${server.origin}/${options.page}`,
      server.origin,
      options.screenshots,
      axe,
    );
    const screenshots = widths.map(({ width }) => `${options.screenshots.prefix}-${width}.png`);
    return { measured: true, browser: `Chromium ${browser.version()}`, facts, screenshots };
  } catch (error) {
    options.signal.throwIfAborted();
    return { measured: false, reason: `the browser failed: ${firstLine(error)}` };
  } finally {
    options.signal.removeEventListener('abort', stop);
    await browser?.close().catch(() => {});
    await server.close();
  }
}

async function readFacts(
  browser: Browser,
  url: string,
  origin: string,
  pictures: MeasureOptions['screenshots'],
  axe: string,
) {
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    serviceWorkers: 'block',
    // axe-core is added to pages that allow no foreign script.
    bypassCSP: true,
    acceptDownloads: false,
  });
  context.setDefaultTimeout(stepMs);
  const [failedRequests, scriptErrors] = [new Set<string>(), new Set<string>()];
  let locked = false;
  try {
    // The page may load only files of its checkout.
    await context.route('**/*', (route) => {
      // A browser that is answered 204 stays where it is.
      if (locked && route.request().isNavigationRequest()) return route.fulfill({ status: 204 });
      return route.request().url().startsWith(`${origin}/`) ? route.continue() : route.abort();
    });
    const page = await context.newPage();
    page.on('pageerror', (error) => scriptErrors.add(firstLine(error)));
    page.on('dialog', (dialog) => void dialog.dismiss().catch(() => {}));
    page.on('requestfailed', (request) => {
      if (!locked) failedRequests.add(request.url().replace(origin, ''));
    });
    page.on('response', (response) => {
      if (!locked && response.status() >= 400 && !response.url().endsWith('/favicon.ico'))
        failedRequests.add(response.url().replace(origin, ''));
    });
    const [mobile, wide] = [widths[0], widths[1]];
    await open(page, url, mobile);
    const small = await page.evaluate(probePage);
    const smallAxe = await runAxe(page, axe);
    await picture(page, path.join(pictures.folder, `${pictures.prefix}-${mobile.width}.png`));
    await open(page, url, wide);
    const large = await page.evaluate(probePage);
    const largeAxe = await runAxe(page, axe);
    await picture(page, path.join(pictures.folder, `${pictures.prefix}-${wide.width}.png`));
    // Last: clicking changes the page. It may try to leave, but stays.
    locked = true;
    const deadElements = await page.evaluate(probeInteraction);
    const failed = mergeRules([...smallAxe.violations, ...largeAxe.violations]);
    const passed = smallAxe.passes.filter((rule) => !failed.some((each) => each.rule === rule));
    return {
      mobile: { width: small.width, overflowing: small.overflowing },
      deadElements,
      missingAlt: unique(failed.find(({ rule }) => rule === 'image-alt')?.elements ?? []),
      contrast: uniqueBy([...smallAxe.contrast, ...largeAxe.contrast], ({ element }) => element),
      accessibility: {
        score: accessibilityScore(
          passed,
          failed.map(({ rule }) => rule),
        ),
        failed: failed.map(({ rule, impact, elements }) => ({
          rule,
          impact,
          count: unique(elements).length,
        })),
      },
      smallTargets: small.smallTargets,
      actionAboveFold: small.actionAboveFold,
      spacing: large.spacing,
      stockIcons: large.stockIcons,
      gradients: large.gradients,
      whiteCards: large.whiteCards,
      text: large.text,
      fonts: large.fonts,
      colours: large.colours,
      failedRequests: [...failedRequests].sort().slice(0, 20),
      scriptErrors: [...scriptErrors].sort().slice(0, 20),
    };
  } finally {
    await context.close().catch(() => {});
  }
}

async function open(page: Page, url: string, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  await page.goto(url, { waitUntil: 'load' });
  await page.waitForTimeout(150);
}

async function picture(page: Page, file: string): Promise<void> {
  const size = page.viewportSize() ?? widths[1];
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  const clip = { x: 0, y: 0, width: size.width, height: Math.min(Math.max(height, size.height), tallest) };
  await writeFileAtomic(file, await page.screenshot({ fullPage: true, clip, animations: 'disabled' }));
}

type AxeNode = { target: unknown[]; any: { data?: Record<string, unknown> | null }[] };
type AxeResult = { id: string; impact: string | null; nodes: AxeNode[] };

/** Optional packages: only `refine` measures pages. */
function axeScript(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  } catch {
    return undefined;
  }
}

/** axe-core inside the page: which rules hold and which do not. */
async function runAxe(page: Page, script: string) {
  await page.addScriptTag({ path: script });
  const { passes, violations } = (await page.evaluate(() =>
    // @ts-expect-error axe is a global of the script that was just added
    axe.run(document, {
      resultTypes: ['violations', 'passes'],
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    }),
  )) as { passes: AxeResult[]; violations: AxeResult[] };
  return {
    passes: passes.map(({ id }) => id),
    violations: violations.map(({ id, impact, nodes }) => ({
      rule: id,
      impact: impact ?? 'minor',
      elements: nodes.map(({ target }) => target.map(String).join(' ').slice(0, 200)),
    })),
    contrast: violations
      .filter(({ id }) => id === 'color-contrast')
      .flatMap(({ nodes }) => nodes.flatMap(contrastOf)),
  };
}

function contrastOf({ target, any }: AxeNode) {
  const data = any.find((check) => check.data?.['fgColor'] !== undefined)?.data;
  if (data === undefined || data === null) return [];
  const pixels = Number.parseFloat(/\(([\d.]+)px\)/.exec(String(data['fontSize']))?.[1] ?? '16');
  return [
    {
      element: target.map(String).join(' ').slice(0, 200),
      foreground: String(data['fgColor']),
      background: String(data['bgColor']),
      pixels,
      bold: data['fontWeight'] === 'bold',
    },
  ];
}

function mergeRules(rules: readonly { rule: string; impact: string; elements: string[] }[]) {
  const merged = new Map<string, { rule: string; impact: string; elements: string[] }>();
  for (const { rule, impact, elements } of rules) {
    const known = merged.get(rule);
    merged.set(rule, { rule, impact, elements: [...(known?.elements ?? []), ...elements] });
  }
  return [...merged.values()].sort((a, b) => a.rule.localeCompare(b.rule));
}

const unique = (list: readonly string[]) => [...new Set(list)];

function uniqueBy<Item>(list: readonly Item[], key: (item: Item) => string): Item[] {
  return [...new Map(list.map((item) => [key(item), item])).values()];
}

function firstLine(error: unknown): string {
  return ((error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '').slice(0, 200);
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.htm': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
};

export type FolderServer = { origin: string; close(): Promise<void> };

/** Serves a folder on loopback, to read; nothing outside of it, links included, and nothing hidden. */
export async function serveFolder(root: string): Promise<FolderServer> {
  const server = createServer((request, response) => {
    void find(root, request.url ?? '/').then((file) => {
      if (file === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, {
        'content-type': types[path.extname(file).toLowerCase()] ?? 'application/octet-stream',
      });
      if (request.method === 'HEAD') response.end();
      else
        createReadStream(file)
          .on('error', () => response.destroy())
          .pipe(response);
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function find(root: string, url: string): Promise<string | undefined> {
  try {
    const wanted = decodeURIComponent(new URL(url, 'http://localhost').pathname).replace(/^\/+/, '');
    if (wanted.split('/').some((part) => part.startsWith('.'))) return undefined;
    const file = await containedPath(root, wanted === '' ? 'index.html' : wanted);
    const found = await stat(file);
    if (found.isFile()) return file;
    const index = path.join(file, 'index.html');
    return found.isDirectory() && (await stat(index)).isFile() ? index : undefined;
  } catch {
    return undefined;
  }
}

/** Names under which Chromium and its kin are installed, in order of preference. */
const programs: readonly string[] = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'microsoft-edge-stable',
  'microsoft-edge',
];

const places: readonly string[] = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
];

/** The browser of this machine: `CHARRETTE_CHROMIUM`, else the first on PATH; `none` as its name switches it off. */
export function findChromium(environment: NodeJS.ProcessEnv): string | undefined {
  const named = environment['CHARRETTE_CHROMIUM'];
  if (named !== undefined && named !== '') return named !== 'none' && isProgram(named) ? named : undefined;
  const folders = (environment['PATH'] ?? '').split(path.delimiter).filter(Boolean);
  const candidates = programs.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return [...candidates, ...places].find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
