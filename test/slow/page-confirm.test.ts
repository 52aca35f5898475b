/** A lite plan from its first question to its approval, answered on the page alone. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { clearAway } from '../clear-away.ts';
import { chromiumPath, openBrowser } from '../support/browser.ts';
import { makeLiteProject } from '../support/lite-project.ts';
import { until } from '../support/live-program.ts';
import { charrette, runsOf } from '../support/program.ts';
import { startServe } from '../support/web-server.ts';

test.skipIf(chromiumPath === undefined)(
  'questions of a lite plan are answered and the plan approved on the page',
  async () => {
    const { project } = makeLiteProject();
    const asked = await charrette(['lite-plan', 'add the numbers and their total'], { cwd: project });
    expect(asked.code, asked.stderr).toBe(7);
    const [run = ''] = runsOf(project);
    const folder = path.join(project, '.charrette', 'runs', run);
    const { url, live } = await startServe(project);
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(`${url}#/runs/${run}`);
      const answered: string[] = [];
      while (!answered.includes('confirm')) {
        await page.locator('form.questions fieldset').first().waitFor();
        for (const field of await page.locator('form.questions fieldset').all()) {
          const options = field.getByRole('radio');
          if ((await options.count()) === 0) await field.getByRole('textbox').fill('three');
          else if ((await field.getByRole('radio', { checked: true }).count()) === 0)
            await options.first().check();
        }
        const open = JSON.parse(readFileSync(path.join(folder, 'questions.json'), 'utf8')) as {
          questions: { id: string }[];
          answers: { question: string }[];
        };
        const known = new Set(open.answers.map(({ question }) => question));
        const ids = open.questions.map(({ id }) => id).filter((id) => !known.has(id));
        await page.getByRole('button', { name: /^(?:Answer|Send answers)$/ }).click();
        const events = () => readFileSync(path.join(folder, 'events.jsonl'), 'utf8');
        await until(() => ids.every((id) => events().includes(`{"question":"${id}"`)));
        answered.push(...ids);
      }
      expect(answered[0]).toBe('consent');
      expect(readFileSync(path.join(folder, 'questions.json'), 'utf8')).not.toContain(
        '"source": "recommended"',
      );
    } finally {
      await browser.close();
      live.kill('SIGTERM');
      await live.ended;
      await charrette(['cancel', run], { cwd: project });
      clearAway(path.dirname(project));
    }
  },
);
