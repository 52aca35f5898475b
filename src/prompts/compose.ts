import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../base/errors.ts';
import { readTextFile } from '../base/files/bounded.ts';
import { containedPath, isMissing } from '../base/files/contained.ts';
import {
  type Answer,
  delimit,
  type NonceSource,
  type Part,
  type PromptDraft,
  untrustedRule,
} from './part.ts';

const mostCharacters = 64 * 1024;

/**
 * A project's own wording: `<directory>/<task>/<part>.md` replaces that fixed part, an empty file omits it.
 * The data rule and the answer's schema cannot be replaced.
 */
export async function readOverrides(directory: string): Promise<Record<string, string>> {
  const overrides: Record<string, string> = {};
  const [home, folder] = [path.dirname(directory), path.basename(directory)];
  for (const file of await markdownFiles(directory)) {
    // Also where the folder itself is a link.
    await containedPath(home, folder);
    const text = await readTextFile(await containedPath(directory, file), mostCharacters);
    if (text !== undefined) overrides[file.split(path.sep).join('/').slice(0, -'.md'.length)] = text;
  }
  return overrides;
}

async function markdownFiles(directory: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { recursive: true });
    return entries.filter((entry) => entry.endsWith('.md')).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

export type PartKind = 'fixed' | 'answer' | 'changing';

export type ComposedPart = { name: string; kind: PartKind; text: string };

/** A prompt ready to send. `prefix` is the same for every call of one role with the same fixed parts. */
export type ComposedPrompt = {
  task: string;
  text: string;
  /** T-044: everything before the first byte that may differ between iterations. */
  prefix: string;
  parts: readonly ComposedPart[];
};

export type ComposeOptions = {
  nonce: NonceSource;
  /** A project's own wording by `<task>/<part>`; empty text leaves the part out. Only fixed parts can be replaced. */
  overrides?: Readonly<Record<string, string>>;
};

/** Separates parts; part of the public form, because counts by part rely on it. */
export const separator = '\n\n';

/** T-043: fixed parts, the answer's schema, then what changes. One composer for every agent call. */
export function compose(draft: PromptDraft, { nonce, overrides = {} }: ComposeOptions): ComposedPrompt {
  refuseDuplicates(draft);
  const fixed = draft.fixed
    .map((part) => overridden(part, overrides[`${draft.task}/${part.name}`]))
    .filter((part) => part !== undefined);
  const before = withRule(fixed, 'fixed', nonce);
  const ruled = before.some(({ name }) => name === ruleName);
  const answer: ComposedPart = { name: 'answer', kind: 'answer', text: renderAnswer(draft.answer) };
  const changing = ruled
    ? draft.changing.map((part) => renderPart(part, 'changing', nonce))
    : withRule(draft.changing, 'changing', nonce);
  const parts = (
    draft.answerLast === true ? [...before, ...changing, answer] : [...before, answer, ...changing]
  ).filter((part) => part.text !== '');
  const firstChanging = parts.findIndex((part) => part.kind === 'changing');
  const stable = firstChanging < 0 ? parts : parts.slice(0, firstChanging);
  return {
    task: draft.task,
    text: `${parts.map((part) => part.text).join(separator)}\n`,
    prefix: stable.map((part) => part.text).join(separator),
    parts,
  };
}

const ruleName = 'data-rule';

/** Puts the rule about data right before the first part with data, if any. */
function withRule(parts: readonly Part[], kind: PartKind, nonce: NonceSource): ComposedPart[] {
  const all = parts.map((part) => renderPart(part, kind, nonce));
  const first = parts.findIndex(({ untrusted }) => untrusted !== undefined && untrusted.length > 0);
  return first < 0 ? all : all.toSpliced(first, 0, { name: ruleName, kind, text: untrustedRule });
}

function overridden(part: Part, replacement: string | undefined): Part | undefined {
  if (replacement === undefined || part.protected === true) return part;
  const text = replacement.trim();
  return text === '' ? undefined : { ...part, text };
}

/** One part in its form in the prompt. */
export function renderPart(part: Part, kind: PartKind, nonce: NonceSource): ComposedPart {
  const body = [
    ...(part.text === undefined || part.text === '' ? [] : [part.text.trimEnd()]),
    ...(part.untrusted ?? []).map((block) => delimit(block, nonce)),
  ].join('\n');
  const text = part.heading === undefined || body === '' ? body : `## ${part.heading}\n${body}`;
  return { name: part.name, kind, text };
}

function renderAnswer(answer: Answer): string {
  switch (answer.kind) {
    case 'json':
      return `## Answer\n${answer.lead ?? jsonLead}\n${compactSchema(answer.schema)}`;
    case 'shape':
      return `## JSON\n${answer.shape}`;
    case 'text':
      return `## Answer\n${answer.rules}`;
  }
}

const jsonLead =
  'Answer with one JSON value that is valid against this JSON Schema, and with nothing before or after it:';

function compactSchema(schema: Readonly<Record<string, unknown>>): string {
  const { $schema: _dialect, ...rest } = schema;
  return JSON.stringify(rest);
}

function refuseDuplicates(draft: PromptDraft): void {
  const names = [...draft.fixed, ...draft.changing].map((part) => part.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw new CharretteError({
    code: 'internal',
    message: `The prompt ${draft.task} has two parts named ${twice}.`,
  });
}
