import type { Surroundings } from '../../src/skills/lint/rule.ts';
import { cleanTexts } from '../support/skill-packages.ts';

/** What the cases of rules are made with: a clean package and one change. */

export type Texts = Record<string, string>;
export type Mutation = {
  what: string;
  change: (texts: Texts) => void;
  directory?: string;
  surroundings?: Surroundings;
};

export const skill = 'SKILL.md';
export const [first, second, third, fourth] = [
  'phases/01-session-init.md',
  'phases/02-context-gather.md',
  'phases/03-conflict-resolution.md',
  'phases/04-task-generation.md',
] as const;

export const replace = (file: string, from: string | RegExp, to: string) => (texts: Texts) => {
  const before = texts[file] ?? '';
  const after = before.replace(from, to);
  if (after === before) throw new Error(`${file} does not contain ${String(from)}`);
  texts[file] = after;
};
export const append = (file: string, text: string) => (texts: Texts) => {
  texts[file] = `${texts[file] ?? ''}\n${text}\n`;
};
export const js = (code: string) => `\`\`\`javascript\n${code}\n\`\`\``;
export const converted = (
  source: string | undefined,
  edits: { kind: string; before: string; after: string }[] = [],
): Surroundings => ({
  installed: undefined,
  conversion: { phases: [{ file: first, from: ['plan.md'], source, lines: undefined, edits }] },
});
export const plan =
  (tasks: Record<string, unknown>[], more: Record<string, unknown> = {}) =>
  (texts: Texts) => {
    const ids = tasks.map((task) => task['id']);
    texts['plan.json'] = JSON.stringify({
      summary: 's',
      approach: 'a',
      task_ids: ids,
      task_count: ids.length,
      _metadata: {},
      ...more,
    });
    tasks.forEach((task, index) => {
      texts[`.task/T${index}.json`] = JSON.stringify({
        depends_on: [],
        convergence: { criteria: ['npm test exits 0'] },
        ...task,
      });
    });
  };
export const longText = (words: number) =>
  Array.from({ length: words }, (_, index) => `word${index} and more words`).join('\n');

/** One violation a rule. Each is a change of a clean package that its rule alone must notice. */
export function routerTexts(): Texts {
  return cleanTexts({
    profile: 'router',
    triggers: ['demo:plan', 'demo:run'],
    phases: [
      {
        name: 'Plan',
        description: 'Plan it',
        mode: 'plan',
        triggers: ['demo:plan'],
        outputVariables: ['planPath'],
        handsOverTo: 2,
      },
      {
        name: 'Run',
        description: 'Run it',
        mode: 'run',
        triggers: ['demo:run'],
        agentTypes: ['code-developer'],
      },
    ],
    dataFlow: [],
  });
}
