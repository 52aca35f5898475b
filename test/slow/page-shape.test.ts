/** Long words and drawings of every shape on the page: nothing is cut off, blown up or too small to read. */
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/browser.ts';
import { servedRun } from '../support/served-run.ts';
import { type WrittenRun, writeRun } from '../support/web-run.ts';

const word = 'an_unbroken_word'.repeat(20);
const chain = (direction: string) =>
  [
    `flowchart ${direction}`,
    ...Array.from({ length: 30 }, (_, index) => ` n${index} --> n${index + 1}`),
  ].join('\n');

describe.skipIf(chromiumPath === undefined)('the shape of the page in Chromium', () => {
  let asking: WrittenRun;
  const served = servedRun(() => {
    const failed = writeRun({ status: 'failed', error: { code: 'internal', message: word, fix: word } });
    failed.emit({ type: 'run-start', workflow: 'design', title: word });
    asking = writeRun({ run: '20260102-000000-asking-00000002', status: 'paused' }, failed.home.project);
    const questions = [
      { id: 'a', text: word, detail: word, options: [{ value: 'x', label: word }], recommended: 'x' },
    ];
    asking.emit({ type: 'question-ask', questions });
    writeFileSync(
      asking.directory.questions,
      JSON.stringify({ schemaVersion: 1, run: asking.directory.id, questions, answers: [] }),
    );
    return failed;
  });

  /** As wide as a phone: what fits there fits everywhere. */
  const width = 375;

  const visit = ({ directory }: WrittenRun) => served.visit(`#/runs/${directory.id}`, { width, height: 800 });

  test('long words of errors and questions break', async () => {
    for (const [run, shown] of [
      [served.run(), '.notice.bad'],
      [asking, '.questions'],
    ] as const) {
      const page = await visit(run);
      await page.waitForSelector(shown);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), shown).toBe(width);
      await page.close();
    }
  });

  test.each([
    ['a small drawing keeps its size', 'flowchart LR\n a --> b', { least: 200, most: 400 }],
    ['a tall one keeps its narrow width', chain('TD'), { least: 50, most: 300 }],
    ['a wide one stays legible and is scrolled', chain('LR'), { least: 2500, most: 6000 }],
    [
      'one with links is a picture, too',
      'flowchart LR\n a --> b\n click a href "https://example.org/?a=1&b=2"',
      { least: 200, most: 400 },
    ],
  ])('%s', async (_, source, { least, most }) => {
    served
      .run()
      .artifact('architecture-diagram.md', `## Architecture Diagram\n\n\`\`\`mermaid\n${source}\n\`\`\`\n`);
    const page = await visit(served.run());
    const image = page.locator('.diagram img');
    await image.waitFor();
    await expect.poll(() => image.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBeGreaterThan(0);
    const drawn = await image.evaluate((each: HTMLImageElement) => each.getBoundingClientRect().width);
    expect(drawn).toBeGreaterThan(least);
    expect(drawn).toBeLessThan(most);
    const place = await page.locator('.diagram .scroll').boundingBox();
    expect(((await image.boundingBox())?.x ?? 0) - (place?.x ?? 0)).toBeGreaterThanOrEqual(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.close();
  });
});
