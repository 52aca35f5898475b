import { suggestion } from '../base/text/format.ts';
import { documents } from './author/documents.ts';
import { stances } from './panel/sketch.ts';
import { dispatches } from './roles/table.ts';

const panel = ['role', 'read-only', 'effort'];
const stanceParts = Object.keys(stances).map((stance) => `stance-${stance}`);

/** Fixed parts of the prompts outside the feature pipeline, by task. */
const otherTasks: Readonly<Record<string, readonly string[]>> = {
  build: ['role', 'content'],
  'code-review': ['role', 'content'],
  compare: [...panel, 'rules'],
  'contract-offer': ['role', 'content', 'anchors'],
  'contract-review': ['role', 'content', 'anchors', 'read-only'],
  'debate-antithesis': [...panel, 'demands'],
  'debate-thesis': [...panel, 'demands'],
  diagram: ['role', 'syntax'],
  'discussion-1': [...panel, 'form', 'rules'],
  'discussion-2': [...panel, 'form', 'rules'],
  evaluate: ['role', 'content', 'anchors', 'read-only'],
  execute: ['role', 'content'],
  explore: ['role', 'content'],
  fix: ['role', 'content'],
  judge: [...panel, 'rules'],
  'lite-plan': ['role', 'content'],
  'merge-findings': ['role', 'rules'],
  plan: [...panel, 'inputs', 'judgement', 'sections'],
  'plan-review': [...panel, 'scope', 'focus', 'findings', 'competition', ...stanceParts],
  questions: [...panel, 'rules'],
  repair: ['role'],
  'revise-plan': [...panel, 'rules'],
  sketch: [...panel, 'content', ...stanceParts],
  synthesis: [...panel, 'attribution', 'content', 'decisions', 'highlights', 'judgement'],
  vote: ['read-only', 'effort', 'role-engineer', 'role-reviewer', 'rules'],
};

/** Everything that a project can put into words of its own, as `<task>/<part>`. */
export function knownParts(): string[] {
  const roles = dispatches.flatMap(({ command, role, expects }) => {
    const task = `${command}/${role}`;
    return [`${task}/role`, `${task}/retry/again`, ...(expects === undefined ? [] : [`${task}/next-phase`])];
  });
  const authors = Object.values(documents).flatMap(({ task }) => [
    ...['role', 'sections'].map((part) => `${task}/${part}`),
    ...['revise', 'role', 'sections'].map((part) => `${task}-revision/${part}`),
  ]);
  const others = Object.entries(otherTasks).flatMap(([task, parts]) =>
    parts.map((part) => `${task}/${part}`),
  );
  return [...roles, ...authors, ...others];
}

/** Files that replace nothing, each with the name that was probably meant. */
export function overrideWarnings(overrides: Readonly<Record<string, string>>): string[] {
  const known = knownParts();
  return Object.keys(overrides)
    .filter((name) => !known.includes(name))
    .map((name) => `prompts/${name}.md replaces no part of a prompt.${hint(name, known)}`);
}

function hint(name: string, known: readonly string[]): string {
  const longer = known.filter((part) => part.startsWith(`${name}-`));
  if (longer.length > 0) return ` Did you mean ${longer.map((part) => `\`${part}\``).join(' or ')}?`;
  const near = suggestion(name, known);
  if (near !== '') return near;
  const task = name.slice(0, Math.max(0, name.lastIndexOf('/')));
  const parts = known.filter((part) => part.startsWith(`${task}/`) && task !== '');
  return parts.length === 0
    ? ''
    : ` ${task} has ${parts.map((part) => part.slice(task.length + 1)).join(', ')}.`;
}
