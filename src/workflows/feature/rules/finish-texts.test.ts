import { expect, test } from 'vitest';
import { readMeta } from '../../../prompts/feature/meta.ts';
import { renderRetro } from './finish-texts.ts';

test('§2B: a retrospective counts what the records say, and says so where there is nothing', () => {
  const meta = readMeta(
    '{"phases":{"specify":{"started":"s","completed":"c","iterations":6,"reviewerNotes":[{"severity":"warning","description":"vague"}]}}}',
  ).meta;
  const text = renderRetro({
    feature: '007-search',
    meta,
    reviews: [],
    dispatches: [1, 2].map((iteration) => ({
      v: 1,
      time: 't',
      feature: '007-search',
      command: 'specify',
      role: 'spec-reviewer',
      iteration,
      kind: 'fresh',
      promptCharacters: 400,
      promptTokens: 100,
      confirmation: 'missing',
    })),
    markers: { lazyLoadWarnings: 2, resumeFallbacks: 0 },
    waivers: [{ fingerprint: 'aa', reason: 'agreed', issue: 'no paging' }],
    log: '- **Deviations:** none\n- **Deviations:** used a list\n- **Concerns:** slow\n',
    unticked: 1,
  });
  for (const line of [
    '- specify: completed c, 6 iterations',
    '- 2 calls, 0 in a continued session, 200 prompt tokens',
    '- waived: no paging (agreed)',
    '- 2 lazy-load warnings, 0 resume fallbacks',
    '- lazy-load-warning: 2 of 2, above 20 %',
    '- open after specify: [warning] vague',
    '- deviation: used a list',
    '- concern: slow',
    '- 1 box of tasks.md not ticked',
  ])
    expect(text).toContain(`${line}\n`);
  expect(text.match(/^## (.*)$/gm)).toEqual(['## Observe', '## Review', '## Tune', '## Act']);
});
