import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type WrittenRun, writeRun } from '../../../test/support/web-run.ts';
import { readEvents } from '../../engine/event-log.ts';
import { readRunRecord } from '../../engine/run-record.ts';
import { markdownReport } from './markdown-report.ts';
import { documentViews } from './view/documents.ts';

let written: WrittenRun | undefined;
afterEach(() => written?.remove());

async function reportOf(run: WrittenRun): Promise<string> {
  const record = await readRunRecord(run.directory);
  return markdownReport({
    record,
    events: readEvents(run.directory.events),
    ledger: [],
    artifacts: {},
    documents: await documentViews(run.directory, record),
    tooLarge: [],
  });
}

test.each([
  ['lite-execute', 'execution-summary.md', 'Result'],
  ['lite-plan', 'code-review.md', 'Code review'],
  ['lite-plan', 'test-review.md', 'Test review'],
  ['feature-phase', 'phase-outcome.md', 'Outcome'],
  ['feature-implement', 'phase-outcome.md', 'Outcome'],
  ['skill-run', 'summary.md', 'Result'],
  ['compare', 'comparison.md', 'Comparison'],
  ['refine', 'refine-report.md', 'Refinement'],
])(
  '%s: %s is in the report under its own heading, below the title of the run',
  async (workflow, name, title) => {
    written = writeRun({ workflow });
    written.artifact(name, '# Some title\n\nIt went well.\n\n## Details\n\n```md\n# kept\n```\n');
    const text = await reportOf(written);
    expect(text).toContain(`\n## ${title}\n\nIt went well.\n\n### Details\n\n\`\`\`md\n# kept\n\`\`\`\n`);
    expect(text.match(/^# /gm)).toHaveLength(2);
  },
);

test('a lite plan is in it with its tasks, outputs of a skill as JSON that cannot end its fence', async () => {
  written = writeRun({ workflow: 'skill-run' });
  written.artifact('outputs.json', '{"a":"```"}\n');
  expect(await reportOf(written)).toContain('## Outputs\n\n````json\n{"a":"```"}\n````');
});

test('a feature brings the history of its reviews, and only from inside the project', async () => {
  written = writeRun({ workflow: 'feature-phase' });
  const { project } = written.home;
  const folder = path.join(project, 'docs/features/001-search');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, '.review-history.md'), '# History\n\n## Step 1\n\nApproved.\n');
  const record = await readRunRecord(written.directory);
  const titles = async (directory: string) =>
    (await documentViews(written?.directory ?? ({} as never), { ...record, inputs: { directory } })).map(
      ({ title }) => title,
    );
  expect(await titles(folder)).toEqual(['Review history']);
  expect(await titles(path.join(project, '..'))).toEqual([]);
});

test('the events are listed step by step, each note once', async () => {
  written = writeRun({ workflow: 'refine' });
  written.artifact('refine-report.md', 'Accepted.\n');
  written.emit(
    { type: 'phase-start', phase: 'setup', line: '▸ setup page' },
    { type: 'note', phase: 'setup', text: 'looking' },
    { type: 'note', phase: 'setup', text: 'looking' },
    { type: 'phase-end', phase: 'setup', line: '✓ setup builder one (1s)', elapsedMs: 1000 },
  );
  expect(await reportOf(written)).toContain('## What happened\n\n- setup builder one\n  - looking\n');
});

test('a feature that is a whole document is listed under its first line, with its text below', async () => {
  written = writeRun({ title: '# Cancel orders\n\nCustomers want to.\n' });
  const text = await reportOf(written);
  expect(text).toMatch(/^# Cancel orders\n\n- Run: /);
  expect(text).toContain('\n## Asked for\n\n### Cancel orders\n\nCustomers want to.\n');
});
