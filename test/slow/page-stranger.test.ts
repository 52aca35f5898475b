/** A run of an untrusted archive on the page and in its report: malformed files break nothing else. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/browser.ts';
import { runCommandLine } from '../support/run-command-line.ts';
import { servedRun } from '../support/served-run.ts';
import { writeUntrustedRun } from '../support/untrusted-run.ts';

describe.skipIf(chromiumPath === undefined)('an untrusted run in Chromium', () => {
  const served = servedRun(writeUntrustedRun);
  const address = () => `#/runs/${served.run().directory.id}`;

  async function visit(place: string): Promise<{ page: Page; problems: string[] }> {
    const problems: string[] = [];
    const page = await served.visit(place, undefined, (fresh) => {
      fresh.on('pageerror', (error) => problems.push(error.message));
    });
    return { page, problems };
  }

  const sections = ['Plan', 'Findings', 'Votes', 'Timeline', 'Cost', 'Files', 'Log'];

  async function expectWhole({ page, problems }: Awaited<ReturnType<typeof visit>>): Promise<void> {
    await page.getByText('THE LAST WORD').waitFor();
    expect(await page.locator('.sections h2').allTextContents()).toEqual(sections);
    expect(await page.locator('.notice.bad').allTextContents()).toEqual([]);
    expect(await page.locator('#log').textContent()).toContain('Skipped event');
    expect(problems).toEqual([]);
    await page.close();
  }

  test('shows the page despite events without their fields', async () => {
    await expectWhole(await visit(address()));
  });

  test('shows later events too', async () => {
    const { page, problems } = await visit(address());
    await page.getByText('THE LAST WORD').waitFor();
    served.run().emit({ type: 'lane-end' } as never, { type: 'note', text: 'and one more' });
    await page.getByText('and one more').waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  test('a report of such a run is complete', async () => {
    const { home, directory } = served.run();
    const file = path.join(home.project, 'report.html');
    const made = await runCommandLine('report', directory.id, '--html', '--out', file, '--cwd', home.project);
    expect(made, made.err).toMatchObject({ exit: 0 });
    await expectWhole(await visit(pathToFileURL(file).href));
  });
});
