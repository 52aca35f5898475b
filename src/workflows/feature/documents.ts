import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { rewriteFileAtomic } from '../../base/files/atomic.ts';
import { counted } from '../../base/text/strings.ts';
import { type ArtifactFile, artifacts } from '../../prompts/artifacts.ts';
import { type AuthoredKey, authorPrompt, readDocument, revisionPrompt } from '../../prompts/author.ts';
import { type FeatureFiles, readFeature } from '../../prompts/feature-files.ts';
import type { PromptDraft } from '../../prompts/part.ts';
import { backwardIssues } from './backward.ts';
import { type CommitKind, commitDocument } from './commit.ts';
import type { DocumentPhase } from './inputs.ts';
import { issueLines, looking } from './records.ts';
import { type GateResult, revisionIssues } from './rules/gate.ts';
import type { ReviewAnswer } from './rules/review-answer.ts';
import { type FeatureRun, type PhaseRun, unanswered } from './run.ts';

/** Writes the document unless it exists. */
export function draftDocument(run: PhaseRun, key: AuthoredKey, research?: string): Promise<void> {
  const { file } = artifacts[key];
  return looking(run, `before ${file}`, async (feature) => {
    const state = feature.files[key];
    if (state.kind === 'present') {
      run.note(`${file} exists; it is reviewed without a new draft`);
      return;
    }
    if (state.kind === 'unusable' && state.reason !== 'empty')
      run.warn(`${file} is ${state.reason}; a new one replaces it`);
    const draft = authorPrompt({ ...subject(run), research, key, ...feature });
    await author(run, key, { feature, draft, name: 'first draft' });
  });
}

/** Writes the document again, because what it depends on changed. */
export function rewriteDocument(run: PhaseRun, key: AuthoredKey, name: string): Promise<void> {
  return looking(run, `${name} ${key}`, async (feature) => {
    const draft = authorPrompt({ ...subject(run), key, ...feature });
    await author(run, key, { feature, draft, name });
  });
}

export type Revision = {
  answer: ReviewAnswer;
  result: GateResult;
  command: DocumentPhase;
  role: string;
  iteration: number;
  max: number;
};

export type Revised = {
  /** False: the document was changed meanwhile and is not changed. */
  written: boolean;
  /** For the history. */
  changes: string;
  commit?: CommitKind | undefined;
};

/** T-121: resolves everything that keeps the gate from passing; suggestions may be resolved too. */
export async function reviseDocument(
  run: PhaseRun,
  key: AuthoredKey,
  { answer, result, command, role, iteration, max }: Revision,
): Promise<Revised> {
  const { must, may } = revisionIssues(answer, result);
  const issues = { must: issueLines(must), may: issueLines(may) };
  const name = `revision ${iteration} for ${role}`;
  const written = await looking(run, `${key} ${name}`, (feature) => {
    const draft = revisionPrompt({ ...subject(run), key, ...feature, issues, iteration, max });
    return author(run, key, { feature, draft, name });
  });
  const { file } = artifacts[key];
  if (!written) return { written, changes: `${file} was changed by hand; the revision was set aside` };
  const changes = `Revised ${file} for ${counted(must.length, 'issue')}`;
  return { written, changes, commit: await commitDocument(run, key, { command, role, iteration }) };
}

/** §2F: a repeated phase starts with what a later phase found. */
export function answerTravel(run: PhaseRun, key: AuthoredKey): Promise<void> {
  return looking(run, `travel to ${key}`, async (feature) => {
    const { backwardContext: travel } = feature.meta.meta;
    if (travel?.targetPhase !== run.inputs.phase || feature.files[key].kind !== 'present') return;
    const must = backwardIssues(travel);
    if (must.length === 0) return;
    const name = `revision for ${travel.sourcePhase ?? 'a later phase'}`;
    const issues = { must, may: [] };
    const draft = revisionPrompt({ ...subject(run), key, ...feature, issues, iteration: 1, max: 1 });
    await author(run, key, { feature, draft, name });
  });
}

function subject({ inputs: { description, brief } }: PhaseRun) {
  return { description, brief };
}

type Writing = { feature: FeatureFiles; draft: PromptDraft; name: string };

/** Asks for a document, twice at most, and saves it. */
async function author(run: PhaseRun, key: AuthoredKey, { feature, draft, name }: Writing): Promise<boolean> {
  const agent = run.inputs.author;
  const lane = `write ${key} ${name}`;
  const { task } = draft;
  const first = run.prompt(draft);
  let problem = '';
  for (const isRetry of [false, true]) {
    const outcome = await run.call({
      agent,
      lane: isRetry ? `${lane}-again` : lane,
      task,
      prompt: isRetry ? `${first}\nYour last answer could not be used: ${problem}.\n` : first,
    });
    if (outcome.error !== undefined) throw unanswered(agent, task, outcome.error);
    const reading = readDocument(outcome.text);
    if (reading.ok) return saveDocument(run, { key, name, text: reading.text, before: feature.files[key] });
    problem = reading.problem;
  }
  throw unanswered(agent, task, problem);
}

type NewDocument = {
  key: AuthoredKey;
  /** Names the version for readers; unique in the run for this document. */
  name: string;
  /** The document when the author received its prompt. */
  before: ArtifactFile;
  text: string;
};

/**
 * Writes a document of the feature. A version that someone else changed meanwhile stays: the author's text is saved in the run,
 * and you choose. True when the author's text is the document now.
 */
export async function saveDocument(run: FeatureRun, document: NewDocument): Promise<boolean> {
  const { key, name, text, before } = document;
  const base = artifacts[key].file;
  const file = path.join(run.inputs.directory, base);
  const written = await run.once(`write ${base} ${name}`, async () => {
    const now = await documentNow(run, key);
    // An attempt that was killed after writing left our own text.
    if (hasContent(now) && !sameContent(now, before) && !sameContent(now, asFile(text))) return false;
    await rewriteFileAtomic(file, text);
    return true;
  });
  const counts = written || (await askWhichCounts(run, document));
  run.note(counts ? `${base}: ${name} written` : `${base}: stays as it was changed, without ${name}`);
  return counts;
}

async function askWhichCounts(run: FeatureRun, { key, name, text }: NewDocument): Promise<boolean> {
  const { context, inputs } = run;
  const base = artifacts[key].file;
  const stem = `${key}-${name.replace(/[^a-z0-9]+/gi, '-')}`;
  await context.artifact(`${stem}.md`, text);
  const folder = context.live.directory.artifacts;
  const saved = path.join(folder, `${stem}.md`);
  run.warn(
    `${base} was changed while ${inputs.author} worked on its ${name}. It stays; the author's text is in ${saved}`,
  );
  const id = `changed-${stem}`;
  const answers = await context.ask([
    {
      id,
      text: `${base} was changed while its ${name} was being written. Which one counts?`,
      detail: `The author's text is in ${saved}. To keep both, merge them in ${base} and answer "document".`,
      options: [
        { value: 'document', label: `The present ${base}` },
        { value: 'author', label: "The author's text; yours is saved in the run" },
      ],
      recommended: 'document',
    },
  ]);
  if (answers.get(id)?.value !== 'author') return false;
  const file = path.join(inputs.directory, base);
  const replaced = path.join(folder, `${stem}-replaced.md`);
  const kept = await run.once(`replace ${base} ${name}`, async () => {
    const now = await documentNow(run, key);
    if (!sameContent(now, asFile(text))) {
      if (hasContent(now)) await copyFile(file, replaced);
      await rewriteFileAtomic(file, text);
    }
    return existsSync(replaced);
  });
  if (kept) run.note(`${base}: the replaced text is in ${replaced}`);
  return true;
}

async function documentNow({ inputs }: FeatureRun, key: AuthoredKey): Promise<ArtifactFile> {
  return (await readFeature(inputs.directory)).files[key];
}

/** Nothing can be lost from a missing or empty file. */
export function hasContent(file: ArtifactFile): boolean {
  return file.kind === 'present' || (file.kind === 'unusable' && file.reason !== 'empty');
}

/** Whatever the path: a run may continue in another clone. */
function sameContent(one: ArtifactFile, other: ArtifactFile): boolean {
  if (one.kind === 'present' && other.kind === 'present')
    return one.bytes === other.bytes && one.text === other.text;
  if (one.kind === 'unusable' && other.kind === 'unusable') return one.reason === other.reason;
  return one.kind === other.kind;
}

/** What reading a written text gives. */
function asFile(text: string): ArtifactFile {
  const bytes = Buffer.from(text);
  const decoded = new TextDecoder().decode(bytes);
  return { kind: 'present', path: '', bytes: bytes.length, text: decoded, damaged: false };
}
