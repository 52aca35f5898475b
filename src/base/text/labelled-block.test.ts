import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryOf } from '../../../test/arbitrary-of.ts';
import { line, prose } from '../schema/primitives.ts';
import {
  readBlocks,
  readItems,
  readSections,
  renderBlock,
  renderBlocks,
  renderItems,
  renderSections,
} from './labelled-block.ts';

const labels = ['Concern', 'Resolution', 'Affected files'];

test('blocks return every value, also hostile ones', () => {
  const block = fc.record({
    title: arbitraryOf(line(200)),
    values: fc.tuple(...labels.map(() => arbitraryOf(prose(500)))),
  });
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 4 }),
      fc.constantFrom('bullet' as const, 'plain' as const),
      (blocks, style) => {
        const text = renderBlocks(
          blocks.map(({ title, values }, index) =>
            renderBlock(
              `FINDING_${index + 1}: ${title}`,
              labels.map((label, at) => [label, values[at] ?? '']),
              style,
            ),
          ),
        );
        const read = readBlocks(text, /^FINDING_(\d+): (.*)$/, labels);
        expect(read.map((each) => each.heading)).toEqual(
          blocks.map(({ title }, index) => [`${index + 1}`, title]),
        );
        expect(read.map((each) => labels.map((label) => each.fields.get(label)))).toEqual(
          blocks.map(({ values }) => values),
        );
      },
    ),
  );
});

test('L-379 narration before the payload, other bullets, misplaced colons and no trailing newline are read', () => {
  const text =
    'Here is what I found.\n\n## **FINDING_1: Lost write**\n* **concern:** two writers\nrace on the file\n- Resolution : lock it\n**Affected files**: a.ts, b.ts';
  const [block] = readBlocks(text, /^FINDING_(\d+): (.*)$/, labels);
  expect(block?.heading).toEqual(['1', 'Lost write']);
  expect(Object.fromEntries(block?.fields ?? [])).toEqual({
    Concern: 'two writers\nrace on the file',
    Resolution: 'lock it',
    'Affected files': 'a.ts, b.ts',
  });
});

test('a repeated label is reported and its first value kept', () => {
  const [block] = readBlocks(
    '### FINDING_1: x\n- **Concern**: a\n- **Concern**: b\n',
    /^FINDING_(\d+): (.*)$/,
    labels,
  );
  expect(block?.fields.get('Concern')).toBe('a');
  expect(block?.repeated).toEqual(['Concern']);
});

test('lists return every item', () => {
  fc.assert(
    fc.property(fc.array(arbitraryOf(prose(300)), { maxLength: 5 }), (items) => {
      expect(readItems(renderItems(items))).toEqual(items);
    }),
  );
});

test('sections return every body, also bodies that hold section titles', () => {
  const titles = ['Approach', 'Edge cases', 'Testing strategy'];
  const body = fc.oneof(
    arbitraryOf(prose(300)),
    fc.constantFrom('## Approach', '\\## Approach', '# 2. edge cases:\n**Approach**'),
  );
  fc.assert(
    fc.property(fc.tuple(body, body, body), (bodies) => {
      const text = renderSections(
        titles.map((title, index) => ({ title, body: bodies[index] ?? '' })),
        titles,
      );
      const read = readSections(text, titles);
      expect([...read.sections]).toEqual(titles.map((title, index) => [title, bodies[index]]));
    }),
  );
});

test('a list as a value is written below its label and read back', () => {
  const text = renderBlock('FINDING_1: x', [['Concern', '- one\n- two']], 'plain');
  expect(text).toBe('### FINDING_1: x\n**Concern**:\n  - one\n  - two\n');
  expect(readBlocks(text, /^FINDING_(\d+): (.*)$/, labels)[0]?.fields.get('Concern')).toBe('- one\n- two');
});
