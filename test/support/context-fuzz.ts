import fc from 'fast-check';
import { expect } from 'vitest';
import { decode } from '../../src/prompts/context/defaults.ts';
import { loadDesignContext } from '../../src/prompts/context/load.ts';
import { isPlaceholderOnly } from '../../src/prompts/context/placeholder.ts';

const line = fc.oneof(
  fc.constantFrom(
    '## a',
    '### b',
    '   ## c',
    '# d',
    '#### e',
    '```',
    '````',
    '~~~',
    '<!--',
    '-->',
    '---',
    'k: v',
    '',
    '_TBD_',
    '> q',
    '\r',
    '😀',
    '漢字',
    '> source: .moai/design/spec.md',
    '## Design Context (from .moai/design/)',
    '| a | b |',
    '|---|---|',
  ),
  fc.string({ maxLength: 40, unit: 'grapheme' }),
  fc.integer({ min: 1, max: 400 }).map((length) => 'x'.repeat(length)),
);

const document = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        fc.array(line, { maxLength: 25 }),
        fc.constantFrom('\n', '\r\n', '\f'),
        fc.constantFrom('', '\uFEFF'),
      )
      .map(([lines, newline, mark]) => Buffer.from(mark + lines.join(newline))),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.constant(undefined) },
);

const tokens = ['spec', 'system', 'research', 'pencil-plan'];

/** Four documents (text, bytes or none), a budget and an overflow rule. */
export const randomContext = fc.record({
  documents: fc.tuple(document, document, document, document),
  budget: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 2_000 })),
  overflow: fc.constantFrom('cut' as const, 'drop' as const),
});

type Random = typeof randomContext extends fc.Arbitrary<infer Value> ? Value : never;

/** Loads the documents and checks everything that must hold for any input. */
export async function checkRandomContext(
  root: string,
  { documents, budget, overflow }: Random,
): Promise<void> {
  const readings = documents.map((bytes) =>
    bytes === undefined ? { state: 'absent' as const } : decode(bytes),
  );
  const load = () =>
    loadDesignContext({
      root,
      budget,
      overflow,
      reader: async (_directory, filename) =>
        readings[tokens.indexOf(filename.replace('.md', ''))] ?? { state: 'absent' },
    });
  const context = await load();
  let sum = 0;
  for (const [index, file] of context.files.entries()) {
    const reading = readings[index];
    expect(reading?.state === 'text').toBe(!['absent', 'unreadable'].includes(file.state));
    if (reading?.state !== 'text') continue;
    const points = [...reading.text];
    expect(file.characters).toBe(points.length);
    expect(file.state === 'skipped').toBe(isPlaceholderOnly(file.token, reading.text));
    if (file.token === 'spec') expect(file.state).not.toBe('dropped');
    if (file.state !== 'whole' && file.state !== 'cut') continue;
    const offset = file.offset ?? -1;
    sum += Math.ceil(offset / 4);
    const kept = points.slice(0, offset).join('');
    expect(offset).toBeLessThanOrEqual(points.length);
    expect(context.text).toContain(
      `> source: .moai/design/${file.token}.md\n${kept.replace(/(\r?\n)+$/, '')}`,
    );
    if (file.state === 'whole') expect(offset).toBe(points.length);
    else {
      expect(context.text).toContain(`\n\n> truncated: ${file.token}.md at char_offset=${offset}\n`);
      const rest = points.slice(offset).join('');
      if (file.cutAt === 'section') expect(rest).toMatch(/^ {0,3}#{2,3}([ \t\r\n]|$)/);
      if (file.cutAt !== 'character') expect(kept.endsWith('\n')).toBe(true);
      expect(kept.endsWith('\r') && rest.startsWith('\n')).toBe(false);
    }
  }
  expect(11 * sum).toBeLessThanOrEqual(10 * budget);
  expect(context.budget.usedTenths).toBe(11 * sum);
  expect(context.text.startsWith('## Design Context (from .moai/design/)\n')).toBe(true);
  expect(context.text.endsWith('\n') && !context.text.endsWith('\n\n\n')).toBe(true);
  // What a context depends on is nothing else; to see that in every eighth is enough.
  if (budget % 8 === 0) expect(await load()).toEqual(context);
}
