import { basename } from 'node:path';
import { countLines } from '../base/text/diff.ts';
import { suggestion } from '../base/text/strings.ts';
import { type ArtifactFiles, type ArtifactKey, artifactKeys, artifacts } from './artifacts.ts';
import { documents } from './author.ts';
import type { ExpectedFile } from './confirmation.ts';
import type { PrdResolution } from './feature-files.ts';
import { stances } from './panel/sketch.ts';
import { dispatches } from './roles/table.ts';

/** What became of one artifact in one prompt. */
export type ArtifactUse = {
  name: string;
  label: string;
  transport: 'reference' | 'inline' | 'pruned' | 'unused';
  state: 'present' | 'fallback' | 'missing' | 'unusable';
  path?: string;
  lines?: number;
  characters?: number;
};

export type UseInput = {
  files: ArtifactFiles;
  prd: PrdResolution;
  expected: readonly ArtifactKey[];
  inlined: readonly ArtifactKey[];
  pruned: readonly ArtifactKey[];
};

/** Every artifact with its part in the prompt, for `--json` and for people who wonder. */
export function describeUses(input: UseInput): ArtifactUse[] {
  return artifactKeys.map((key) => {
    const { file, label } = artifacts[key];
    return { name: file, label, transport: transportOf(key, input), ...stateOf(key, input) };
  });
}

function transportOf(key: ArtifactKey, { expected, inlined, pruned }: UseInput): ArtifactUse['transport'] {
  if (inlined.includes(key)) return 'inline';
  if (expected.includes(key)) return 'reference';
  return pruned.includes(key) ? 'pruned' : 'unused';
}

function stateOf(
  key: ArtifactKey,
  { files, prd }: UseInput,
): Omit<ArtifactUse, 'name' | 'label' | 'transport'> {
  const file = files[key];
  if (key === 'prd' && prd.kind === 'fallback') return { state: 'fallback', path: prd.path };
  if (file.kind !== 'present') return { state: file.kind };
  if (file.text === undefined) return { state: 'present', path: file.path };
  return {
    state: 'present',
    path: file.path,
    lines: countLines(file.text),
    characters: file.text.length,
  };
}

/** What the answer must confirm to have read, by label, file name and length. */
export function expectedFiles({
  files,
  prd,
  expected,
}: Pick<UseInput, 'files' | 'prd' | 'expected'>): ExpectedFile[] {
  return expected.map((key) => {
    const { label, file: name } = artifacts[key];
    if (key === 'prd' && prd.kind === 'fallback') return { label, name: basename(prd.path) };
    const file = files[key];
    return file.kind === 'present' && file.text !== undefined
      ? { label, name, lines: countLines(file.text) }
      : { label, name };
  });
}

const panel = ['role', 'read-only', 'effort'];
const stanceParts = Object.keys(stances).map((stance) => `stance-${stance}`);

/** Fixed parts of the prompts outside the feature pipeline, by task. */
const otherTasks: Readonly<Record<string, readonly string[]>> = {
  build: ['role', 'content'],
  'change-review': [...panel, 'scope', 'severity', 'findings', ...stanceParts],
  'change-vote': [...panel, 'rules', 'rules-earlier'],
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

/** Every part whose wording a project can replace, as `<task>/<part>`. */
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
