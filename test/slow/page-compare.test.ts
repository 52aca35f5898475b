/** A comparison on the page: its designs are lanes with separate runs. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { chromiumPath, openBrowser } from '../support/browser.ts';
import { charrette, makeProject } from '../support/program.ts';
import { startServe } from '../support/web-server.ts';

test.skipIf(chromiumPath === undefined)(
  'the lanes of a comparison open: a judge shows its verdict, a design leads to its own run',
  async () => {
    const { project } = await makeProject();
    const tasks = path.join(path.dirname(project), 'tasks.md');
    writeFileSync(tasks, '- add rate limiting\n');
    const words = ['compare', '--tasks', tasks, '--depth', 'quick', '--yes', '--json'];
    const ended = await charrette(words, { cwd: project });
    expect(ended.code, ended.stderr).toBe(0);
    const { run } = JSON.parse(ended.stdout) as { run: string };
    const served = await startServe(project);
    const browser = await openBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
      await page.goto(`${served.url}#/runs/${run}`);
      await page.waitForSelector('.gantt');
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'judge two compare by two: ok' }).click();
      await dialog.getByText('It is configurable.').waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: /^designed by the panel/ }).click();
      await dialog.getByRole('link', { name: `${run}-1-panel` }).waitFor();
      await dialog.getByRole('link').click();
      await page.getByRole('heading', { level: 1, name: 'add rate limiting (panel)' }).waitFor();
      await dialog.waitFor({ state: 'detached' });
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
      served.live.kill('SIGTERM');
      await served.live.ended;
    }
  },
);
