import { expect, test } from 'vitest';
import { eligible } from '../../test/dialectic-fixtures.ts';
import { stripAttribution } from './ballots.ts';
import { buildDialecticBallot } from './judge.ts';

test('F-18 L-516 the ballot names no agent, in whatever case', () => {
  const leaky = eligible(1).map((debate) => ({
    ...debate,
    thesis: {
      ...debate.thesis,
      claim: 'As Claude I say: CURSOR and codex-cli agree, claude_sub too. The corpus is fine.',
    },
  }));
  const { text: ballot } = buildDialecticBallot(leaky);
  expect(ballot).not.toMatch(/claude|cursor|codex/i);
  expect(ballot).toContain('The corpus is fine.');
});

test('L-516 a version written on to a name goes with it', () => {
  expect(stripAttribution('Qwen3, GPT4o and Claude3 say, llama3 too; GPTs and 3Claude are other words')).toBe(
    '[agent], [agent] and [agent] say, [agent] too; GPTs and 3Claude are other words',
  );
});

test('L-516 panel/C-34 keeps code and paths, removes names next to them', () => {
  const kept = 'src/CursorPage.ts, src/cursor/page.ts:12, `Cursor.next()`, CLAUDE.md and CursorPage';
  expect(stripAttribution(`Claude/Codex, GPT and "cursor" say: ${kept}. Signed: Claude.`)).toBe(
    `[agent]/[agent], [agent] and "[agent]" say: ${kept}. Signed: [agent].`,
  );
});

test.each(['```', '~~~', '````'])('L-516 removes bare names in a fence of %s and keeps paths', (fence) => {
  const code = (name: string) =>
    `${fence}ts\nSigned: ${name}\nimport './cursor/page.ts';\nnew ${name}();\n${fence}\n`;
  expect(stripAttribution(code('Claude'))).toBe(code('[agent]'));
});

test('L-516 a word everybody wrote from stays', () => {
  expect(stripAttribution('cursor paging by Codex', { neutral: 'Add cursor paging' })).toBe(
    'cursor paging by [agent]',
  );
});
