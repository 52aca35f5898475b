import { expect, test } from 'vitest';
import { featureDirectory } from '../../../test/support/feature-directory.ts';
import { artifactValidity } from '../../workflows/feature/rules/status.ts';
import { type AuthoredKey, authorPrompt, documents, readDocument, revisionPrompt } from '../author.ts';
import { readFeature } from '../feature-files.ts';
import { compose, seededNonce } from '../part.ts';
import { indexed, parseTasks, scopeTask } from '../sections/tasks.ts';

const keys = Object.keys(documents) as AuthoredKey[];
const filler = 'Words that fill a section with something to read.\n';

/** A document that does what its prompt says, and nothing else. */
function obedient(key: AuthoredKey): string {
  const { sections, form = '' } = documents[key];
  const numbered = [...form.matchAll(/`(### [^`]+)`/g)].map(([, heading]) => `${heading}\n${filler}`);
  const task = key === 'tasks' ? form.split('\n').slice(1).join('\n') : '';
  return [`# ${key}`, ...sections.map(([heading]) => `${heading}\n${filler}`), ...numbered, task].join(
    '\n\n',
  );
}

test.each(keys)('a %s written as asked is valid', (key) => {
  expect(artifactValidity(key, obedient(key))).toEqual({ level: 4 });
});

test('tasks written as asked find their sections in plan and design written as asked', () => {
  const [task] = parseTasks(obedient('tasks'), true);
  if (task === undefined) throw new Error('no task');
  const scope = scopeTask(task, indexed(obedient('plan')), indexed(obedient('design')));
  expect(scope.warnings).toEqual([]);
  expect([scope.plan.kind, scope.design.kind]).toEqual(['sections', 'sections']);
  expect(task.doneWhen).toBeDefined();
});

test.each(keys)(
  'the author of %s reads what comes before and answers with the whole document',
  async (key) => {
    const { directory } = featureDirectory();
    const { files, prd } = await readFeature(directory);
    const { text, prefix } = compose(authorPrompt({ key, files, prd, description: 'Search by tag' }), {
      nonce: seededNonce('x'),
    });
    for (const read of documents[key].reads) expect(prefix).toContain(`${directory}/${read}.md`);
    expect(prefix).not.toContain(`${directory}/${key}.md`);
    expect(prefix).not.toContain('Search by tag');
    expect(text).toContain('Search by tag');
  },
);

test('T-121: a revision names what must and what may be resolved, and the file under revision', async () => {
  const { directory } = featureDirectory();
  const { files, prd } = await readFeature(directory);
  const issues = { must: ['[blocker] vague\nR2'], may: ['[suggestion] tidy'] };
  const draft = revisionPrompt({ key: 'spec', files, prd, issues, iteration: 2, max: 5 });
  const { text } = compose(draft, { nonce: seededNonce('x') });
  expect(text.split('## Document to Revise\n')[1]).toMatch(/^You MUST read this file[^\n]*\n- Spec: \//);
  expect(text.split('## Document to Revise\n')[0]).not.toContain(`${directory}/spec.md`);
  expect(text).toMatch(/## Must be resolved\n<must_resolve [^>]+>\n- \[blocker\] vague R2\n/);
  expect(text).toContain('## May be resolved');
});

const document = `# Spec\n\n## Scope\n${filler}`;

test.each([
  ['plain', `Files read: prd.md (4 lines)\n<document>\n${document}</document>\n`],
  ['in a fence', `<document>\n\`\`\`markdown\n${document}\`\`\`\n</document>`],
  ['with CRLF', `<document>\r\n${document.replace(/\n/g, '\r\n')}</document>\r\n`],
])('a document %s is read without the talk around it', (_name, answer) => {
  expect(readDocument(answer)).toEqual({ ok: true, text: document });
});

test.each([
  ['no marks', document],
  ['cut off', `<document>\n${document}`],
  ['empty', '<document>\n\n</document>'],
])('an answer with %s is not taken for a document', (_name, answer) => {
  expect(readDocument(answer).ok).toBe(false);
});
