// A scripted agent for the `exec` protocol: writes the documents of a feature, and reviews them. The first round of every
// review rejects, later ones approve; `prose`, `never`, `fail` or `slow` as an argument make it behave otherwise.
import { readFileSync } from 'node:fs';

const [mode] = process.argv.slice(2);
const { CHARRETTE_TASK: task = '' } = process.env;
const prompt = readFileSync(0, 'utf8');
const round = Number(/This is (?:phase-review )?iteration (\d+)/.exec(prompt)?.[1] ?? 1);
if (mode === 'slow') await new Promise((resolve) => setTimeout(resolve, 700));
if (mode === 'fail') {
  process.stderr.write('told to fail\n');
  process.exit(3);
}

const words = 'These words fill the document so that it has something to say to its readers.\n'.repeat(4);
const documents = {
  spec: `# Spec\n\n## Requirements\n- R1.1 it works\n\n## Acceptance Criteria\n- AC-1 it works\n\n${words}`,
  design: `# Design\n\n## Architecture\n${words}\n## Components\n### C1: Store\n${words}`,
  plan: `# Plan\n\n## Implementation Order\n${words}\n## Phase 1: Base\n### Step 1.1: Store\n${words}`,
  tasks: `# Tasks\n\n## Phase 1: Base\n### Task 1.1: Store\n- **Why:** Plan Step 1.1 / Design C1\n- **Done when:** it stores\n${words}`,
};
const [, key, revision] = /^feature-(spec|design|plan|tasks)(-revision)?$/.exec(task) ?? [];
const read = [...prompt.matchAll(/^- [^:\n]+: (\/\S+)$/gm)].map(([, file]) => {
  const lines = readFileSync(file, 'utf8').split('\n').length - 1;
  return `${file.split('/').at(-1)} (${lines} lines)`;
});
process.stdout.write(`Files read: ${read.join(', ') || 'none'}\n`);
if (key !== undefined) {
  const number = /This is revision (\d+)/.exec(prompt)?.[1];
  const revised = revision === undefined ? '' : `\nRevision ${number}.\n`;
  process.stdout.write(`<document>\n${documents[key]}${revised}</document>\n`);
} else if (mode === 'prose') process.stdout.write('Looks good to me.\n');
else {
  const approved = mode !== 'never' && round > 1;
  const issues = approved ? [] : [{ severity: 'blocker', description: 'R1.1 is vague', location: 'R1.1' }];
  process.stdout.write(`${JSON.stringify({ approved, issues, summary: '' })}\n`);
}
