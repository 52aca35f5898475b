import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { openBrowser } from './browser.ts';
import type { WrittenRun } from './web-run.ts';
import { startServe } from './web-server.ts';

export type ServedRun = {
  run(): WrittenRun;
  /** The page at a path of its address, in a new window; `prepare` runs before anything is loaded. */
  visit(
    place: string,
    viewport?: { width: number; height: number },
    prepare?: (page: Page) => void,
  ): Promise<Page>;
};

/** A project with a run, served to a browser while a suite lasts. */
export function servedRun(write: () => WrittenRun): ServedRun {
  let run: WrittenRun;
  let served: Awaited<ReturnType<typeof startServe>>;
  let browser: Browser;
  beforeAll(async () => {
    run = write();
    served = await startServe(run.home.project);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    served?.live.kill('SIGTERM');
    await served?.live.ended;
    run?.remove();
  });
  return {
    run: () => run,
    async visit(place, viewport = { width: 1200, height: 900 }, prepare = () => {}) {
      const page = await browser.newPage({ viewport });
      prepare(page);
      await page.goto(new URL(place, served.url).href);
      return page;
    },
  };
}
