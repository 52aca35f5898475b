import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { rewriteFileAtomic } from '../../base/files/atomic.ts';
import { type ArtifactFile, artifacts } from '../../prompts/artifacts.ts';
import type { AuthoredKey } from '../../prompts/author/write.ts';
import { readFeature } from '../../prompts/feature-files.ts';
import type { FeatureDesk } from './desk.ts';

export type NewDocument = {
  key: AuthoredKey;
  /** Names the writing for people; unique in the run for this document. */
  name: string;
  /** What stood there when the author was told what to do. */
  before: ArtifactFile;
  text: string;
};

/**
 * Writes a document of the feature. What somebody changed while the author worked, or while the run was stopped, stays; the
 * author's text is put beside, and a person says which one counts. True when the author's text is the document now.
 */
export async function saveDocument(desk: FeatureDesk, document: NewDocument): Promise<boolean> {
  const { key, name, text, before } = document;
  const base = artifacts[key].file;
  const file = path.join(desk.inputs.directory, base);
  const written = await desk.once(`write ${base} ${name}`, async () => {
    const now = await documentNow(desk, key);
    // Text of our own was written by an attempt that was killed before it could say so.
    if (holdsSomething(now) && !sameContent(now, before) && !sameContent(now, asFile(text))) return false;
    await rewriteFileAtomic(file, text);
    return true;
  });
  const counts = written || (await askWhichCounts(desk, document));
  desk.note(counts ? `${base}: ${name} written` : `${base}: stays as it was changed, without ${name}`);
  return counts;
}

async function askWhichCounts(desk: FeatureDesk, { key, name, text }: NewDocument): Promise<boolean> {
  const { context, inputs } = desk;
  const base = artifacts[key].file;
  const stem = `${key}-${name.replace(/[^a-z0-9]+/gi, '-')}`;
  await context.artifact(`${stem}.md`, text);
  const folder = context.live.directory.artifacts;
  const beside = path.join(folder, `${stem}.md`);
  desk.warn(
    `${base} was changed while ${inputs.author} worked on its ${name}. It stays; the author's text is in ${beside}`,
  );
  const id = `changed-${stem}`;
  const answers = await context.ask([
    {
      id,
      text: `${base} was changed while its ${name} was being written. Which one counts?`,
      detail: `The author's text is in ${beside}. To have both, bring them together in ${base} and answer "document".`,
      options: [
        { value: 'document', label: `${base} as it stands` },
        { value: 'author', label: "The author's text; yours is put beside it" },
      ],
      recommended: 'document',
    },
  ]);
  if (answers.get(id)?.value !== 'author') return false;
  const file = path.join(inputs.directory, base);
  const aside = path.join(folder, `${stem}-replaced.md`);
  const kept = await desk.once(`replace ${base} ${name}`, async () => {
    const now = await documentNow(desk, key);
    if (!sameContent(now, asFile(text))) {
      if (holdsSomething(now)) await copyFile(file, aside);
      await rewriteFileAtomic(file, text);
    }
    return existsSync(aside);
  });
  if (kept) desk.note(`${base}: what stood there is in ${aside}`);
  return true;
}

async function documentNow({ inputs }: FeatureDesk, key: AuthoredKey): Promise<ArtifactFile> {
  return (await readFeature(inputs.directory)).files[key];
}

/** Where there is nothing, nothing can be lost. */
export function holdsSomething(file: ArtifactFile): boolean {
  return file.kind === 'present' || (file.kind === 'unusable' && file.reason !== 'empty');
}

/** Wherever it stands: a run may go on in another clone. */
function sameContent(one: ArtifactFile, other: ArtifactFile): boolean {
  if (one.kind === 'present' && other.kind === 'present')
    return one.bytes === other.bytes && one.text === other.text;
  if (one.kind === 'unusable' && other.kind === 'unusable') return one.reason === other.reason;
  return one.kind === other.kind;
}

/** A text as it is read back once it has been written. */
function asFile(text: string): ArtifactFile {
  const bytes = Buffer.from(text);
  return {
    kind: 'present',
    path: '',
    bytes: bytes.length,
    text: new TextDecoder().decode(bytes),
    damaged: false,
  };
}
