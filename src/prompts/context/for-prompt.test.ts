import path from 'node:path';
import { expect, test } from 'vitest';
import { projectWith, projectWithDocuments } from '../../../test/support/design-project.ts';
import { consumers } from './defaults.ts';
import { promptContext } from './for-prompt.ts';

const configured = 'design:\n  design_docs: {}\n';

test('M-001, M-047, P-021: documents first, then project specs', async () => {
  const root = projectWith({
    '.moai/design/spec.md': 'Wanted.',
    '.ccw/specs/a.md': '---\ntitle: Rules\nreadMode: required\ncategory: planning\n---\nUse tabs.\n',
  });
  const { text } = await promptContext({ root, consumer: 'lite-plan', task: 'x' });
  expect(text).toBe(
    '## Design Context (from .moai/design/)\n\n> source: .moai/design/spec.md\nWanted.\n\n## Project specs\n\n### Rules\n\n> source: .ccw/specs/a.md\n\nUse tabs.\n',
  );
});

test.each([
  'sketch',
  'plan',
  'review',
  'lite-plan',
  'feature',
  'execute',
  'frontend',
  'brand-design',
] as const)('A-60, A-68: %s gets the block, and nothing when it is a header alone', async (consumer) => {
  const full = projectWithDocuments({ spec: 'Wanted.' }, configured);
  expect((await promptContext({ root: full, consumer })).text).toContain('Wanted.');
  const empty = projectWithDocuments({ spec: '_TBD_' }, configured);
  expect((await promptContext({ root: empty, consumer })).text).toBe('');
  expect((await promptContext({ root: projectWith(), consumer })).text).toBe('');
});

test('A-10: the overflow rule holds for a prompt too', async () => {
  const long = (word: string) =>
    `# ${word}\n\n## One\n${`${word} `.repeat(60)}\n\n## Two\n${`${word} `.repeat(60)}\n`;
  const root = projectWithDocuments({ spec: long('first'), research: long('second') }, configured);
  const states = async (overflow: 'cut' | 'drop') =>
    (await promptContext({ root, consumer: 'plan', budget: 320, overflow })).design.files.map(
      ({ state }) => state,
    );
  expect(await states('cut')).toContain('cut');
  expect(await states('drop')).not.toContain('cut');
});

test('P-022: specs of the home folder reach a prompt when it is known', async () => {
  const home = projectWith({
    '.ccw/personal/a.md': '---\nreadMode: required\ncategory: planning\n---\nMine.\n',
  });
  const root = projectWith();
  expect((await promptContext({ root, consumer: 'plan', home })).text).toContain('Mine.');
  expect((await promptContext({ root, consumer: 'plan', home: undefined })).text).toBe('');
});

test('M-014, M-015: a closed gate leaves no trace in the prompt', async () => {
  const root = projectWithDocuments(
    { spec: 'Wanted.' },
    'design:\n  design_docs:\n    auto_load_on_design_command: false\n',
  );
  expect((await promptContext({ root, consumer: 'plan' })).text).toBe('');
  expect((await promptContext({ root, consumer: 'plan', mode: 'standalone' })).text).toContain('Wanted.');
});

test.each(['evaluator', 'brief-writer'] as const)(
  'A-68: %s gets paths and states, never the text',
  async (consumer) => {
    expect(consumers[consumer].design).toBe('reference');
    const section = `## a\n${'word '.repeat(40)}\n`;
    const root = projectWithDocuments(
      { spec: 'Score: 1', system: section + section, research: section },
      configured,
    );
    const { text, references } = await promptContext({ root, consumer, budget: 80 });
    expect(text).not.toContain('Score:');
    expect(text).toContain(
      `- ${path.join(root, '.moai/design/system.md')} (the builder was given its first 206 characters`,
    );
    expect(references.map(({ token, state }) => [token, state])).toEqual([
      ['spec', 'whole'],
      ['system', 'cut'],
      ['research', 'dropped'],
    ]);
  },
);

test('M-053: brand files win, and the prompt says so when there are any', async () => {
  const root = projectWith({ '.moai/design/spec.md': 'x', '.moai/project/brand/brand-voice.md': 'y' });
  expect((await promptContext({ root, consumer: 'frontend' })).text).toContain('the brand files win');
});

test('unreadable documents alone are not sent as a block', async () => {
  const root = projectWithDocuments({ spec: Buffer.from([0xff]) }, configured);
  expect((await promptContext({ root, consumer: 'plan' })).text).toBe('');
});
