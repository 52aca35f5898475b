import path from 'node:path';
import {
  type Consumer,
  type ConsumerRule,
  consumers,
  type DesignContext,
  type FileReport,
} from './defaults.ts';
import { filesBelow, isVisible } from './folder.ts';
import { type LoadOptions, loadDesignContext } from './load.ts';
import { loadProjectSpecs, type ProjectSpecs } from './load-specs.ts';

export type PromptContextOptions = Pick<LoadOptions, 'root' | 'dir' | 'budget' | 'mode' | 'overflow'> & {
  consumer: Consumer;
  /** What the work is about; decides which optional specs apply. */
  task?: string;
  /** The person's home folder, whose specs hold everywhere (P-022). */
  home?: string | undefined;
};

export type PromptContext = {
  /** Goes in front of the task, with a blank line between; empty when there is nothing to say. */
  text: string;
  design: DesignContext;
  specs: ProjectSpecs | undefined;
  /** 3.5: what a builder was shown of each document, so that no evaluator asks for more. */
  references: DocumentReference[];
};

export type DocumentReference = Pick<FileReport, 'token' | 'state' | 'offset' | 'characters'> & {
  absolute: string;
};

/**
 * What a prompt of this consumer should begin with: design documents (A-60: a header alone is left out) and project
 * specs (P-021). Called by workflows, so the gate is honoured unless `mode` says otherwise.
 */
export async function promptContext(options: PromptContextOptions): Promise<PromptContext> {
  const rule: ConsumerRule = consumers[options.consumer];
  const { root, dir, budget, overflow, task, home, mode = 'auto' } = options;
  const [design, specs, hasBrand] = await Promise.all([
    loadDesignContext({
      root,
      mode,
      ...(dir !== undefined && { dir }),
      ...(budget !== undefined && { budget }),
      ...(overflow !== undefined && { overflow }),
    }),
    rule.specs === undefined
      ? undefined
      : loadProjectSpecs({
          root,
          category: rule.specs,
          ...(task !== undefined && { task }),
          ...(home !== undefined && { home }),
        }),
    hasBrandFiles(root),
  ]);
  const references = referencesOf(root, design);
  const documents = rule.design === 'inline' ? inlineBlock(design, hasBrand) : referenceList(references);
  const text = [documents, specs?.text ?? ''].filter((part) => part !== '').join('\n');
  return { text, design, specs, references };
}

/** Warnings for the author of the documents and specs. */
export function contextWarnings(contexts: readonly PromptContext[]): string[] {
  const lines = contexts.flatMap(({ design, specs }) => [...design.log, ...(specs?.log ?? [])]);
  return [...new Set(lines.filter(({ level }) => level === 'warning').map(({ text }) => text))];
}

/** a block that says nothing is not sent. */
function inlineBlock(design: DesignContext, hasBrand: boolean): string {
  if (!design.files.some(({ state }) => state === 'whole' || state === 'cut')) return '';
  return hasBrand ? `${design.text}\n${brandNote}\n` : design.text;
}

/** M-053 */
const brandNote =
  'Where these documents and the brand files in .moai/project/brand/ disagree, the brand files win; report the disagreement.';

async function hasBrandFiles(root: string): Promise<boolean> {
  const files = await filesBelow(path.join(root, '.moai/project/brand')).catch(() => []);
  return files.some(isVisible);
}

function referencesOf(root: string, design: DesignContext): DocumentReference[] {
  return design.files
    .filter(({ state }) => state === 'whole' || state === 'cut' || state === 'dropped')
    .map(({ token, state, offset, characters, path: cited }) => ({
      token,
      state,
      absolute: path.resolve(root, cited),
      ...(characters !== undefined && { characters }),
      ...(offset !== undefined && { offset }),
    }));
}

function referenceList(references: readonly DocumentReference[]): string {
  if (references.length === 0) return '';
  const lines = references.map((reference) => `- ${reference.absolute} (${shown(reference)})`);
  return `## Design documents\n\nRead them where they are:\n${lines.join('\n')}\n`;
}

function shown({ state, offset }: DocumentReference): string {
  if (state === 'whole') return 'the builder was given all of it';
  if (state === 'cut')
    return `the builder was given its first ${offset ?? 0} characters; ask for nothing beyond them`;
  return 'not given to the builder; ask for nothing that only it says';
}
