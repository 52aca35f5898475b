/** Right-to-left text next to left-to-right text: neither reverses the order of a line. */
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/browser.ts';
import { servedRun } from '../support/served-run.ts';
import { writeRun } from '../support/web-run.ts';

const words = 'إلغاء الطلبات 12.';

describe.skipIf(chromiumPath === undefined)('right to left in Chromium', () => {
  const { visit } = servedRun(() => {
    const run = writeRun({ title: words, status: 'paused' });
    const question = { id: 'q', text: words, detail: words, options: [{ value: 'x', label: words }] };
    const usage = { basis: 'unknown', inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 } as const;
    run.emit(
      { type: 'run-start', workflow: 'design', title: words },
      { type: 'phase-start', phase: '2a', line: 'Sketches' },
      { type: 'lane-queue', lane: 'phase2a-sketch-a', task: 'sketch', seat: 'a', label: words, phase: '2a' },
      { type: 'lane-start', lane: 'phase2a-sketch-a', agent: words, attempt: 2 },
      { type: 'lane-end', lane: 'phase2a-sketch-a', agent: words, kind: 'ok', elapsedMs: 5, usage },
      { type: 'note', text: words },
      { type: 'question-ask', questions: [question] },
    );
    const call = {
      phase: '2a',
      task: 'sketch',
      seat: words,
      agent: words,
      family: 'x',
      usage,
      durationMs: 1,
    };
    writeFileSync(
      run.directory.ledger,
      `${JSON.stringify({ v: 1, id: 'a', time: '2026-01-01T00:00:00.000Z', ...call })}\n`,
    );
    writeFileSync(run.directory.questions, JSON.stringify({ questions: [question], answers: [] }));
    run.artifact('phase2a-sketch-a-output.txt', `${words}\n`);
    run.artifact(
      'plan.txt',
      `# ${words}\n\n${words} \`a.b(c)\` src/a.ts:3\n\n- ${words}\n\n| ${words} |\n|---|\n| ${words} |\n`,
    );
    run.artifact('ballot.txt', ballot);
    run.artifact('voting-tally.md', tally);
    return run;
  });

  test.each(['', '#/runs/20260101-000000-written-00000001'])(
    'every such text at %j has its own direction',
    async (at) => {
      const page = await visit(at);
      await page.getByText('إلغاء').first().waitFor();
      const { shown, loose } = await page.evaluate(() => {
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const shown: string[] = [];
        const loose: string[] = [];
        while (walker.nextNode()) {
          const parent = walker.currentNode.parentElement;
          if (parent === null || !/\p{Script=Arabic}/u.test(walker.currentNode.textContent ?? '')) continue;
          const { direction, unicodeBidi } = getComputedStyle(parent);
          // What begins with our own words goes from left to right as a whole.
          const isOwn = /^\s*\p{Script=Latin}/u.test(walker.currentNode.textContent ?? '');
          shown.push(parent.tagName);
          if (!isOwn && direction !== 'rtl' && unicodeBidi !== 'plaintext')
            loose.push(parent.outerHTML.slice(0, 120));
        }
        return { shown, loose };
      });
      expect(loose).toEqual([]);
      expect(shown.length).toBeGreaterThan(at === '' ? 0 : 14);
      if (at !== '')
        expect(
          await page
            .locator('.prose code')
            .first()
            .evaluate((code) => getComputedStyle(code).direction),
        ).toBe('ltr');
      await page.close();
    },
  );
});

const ballot = `### FINDING_1: ${words}
- **Reviewer**: Reviewer A
- **Focus area**: x
- **Severity**: y
- **Evidence**: ${words}
- **Concern**: ${words}
- **Suggested revision**: ${words}
`;

const tally = `## Voting Tally

- **Rule**: two of three
- **Absent**: nobody

| Item | Title | Voter | YES | NO | EXONERATE | Outcome |
|---|---|---|---|---|---|---|
| FINDING_1 | ${words} | YES | 1 | 0 | 0 | accepted |
`;
