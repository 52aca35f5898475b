import { expect, test } from 'vitest';
import { projectWithDocuments } from '../../../test/support/design-project.ts';
import { explainBudget } from './explain.ts';
import { loadDesignContext } from './load.ts';

test('a bar per document, whole, cut and dropped', async () => {
  const section = (name: string) => `## ${name}\n${'word '.repeat(40)}\n`;
  const root = projectWithDocuments(
    { spec: section('a'), system: section('b') + section('c'), research: section('d') },
    'design:\n  design_docs: {}\n',
  );
  const picture = explainBudget(await loadDesignContext({ root, budget: 125 }), 80);
  expect(picture).toMatchInlineSnapshot(`
    "Design documents in .moai/design: loaded

      spec         █████████                                57.2  whole
      system       █████████░░░░░░░░                       113.3  cut at character 206 of 412
      research     ░░░░░░░░░                                57.2  dropped, over budget
      pencil-plan                                                 absent

      114.4 of 125 tokens used (92 %), 227.7 wanted
      counted by characters/4*1.1; when it does not fit: cut at a section, drop what ranks lower
    "
  `);
});

test('an unset width and an empty result are drawn too', async () => {
  const root = projectWithDocuments({});
  expect(explainBudget(await loadDesignContext({ root }))).toContain('the folder does not exist');
});
