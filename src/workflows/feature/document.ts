import { counted } from '../../base/text/format.ts';
import { artifacts } from '../../prompts/artifacts.ts';
import { readDocument } from '../../prompts/author/documents.ts';
import { type AuthoredKey, authorPrompt, revisionPrompt } from '../../prompts/author/write.ts';
import type { FeatureFiles } from '../../prompts/feature-files.ts';
import type { PromptDraft } from '../../prompts/part.ts';
import { type CommitKind, commitDocument } from './commit.ts';
import type { FeatureDesk } from './desk.ts';
import type { FeaturePhaseInputs } from './inputs.ts';
import { issueLines, look, looking } from './records.ts';
import { backwardIssues } from './rules/backward.ts';
import { type GateResult, revisionIssues } from './rules/gate.ts';
import type { ReviewAnswer } from './rules/review-answer.ts';
import { saveDocument } from './save-document.ts';

type Desk = FeatureDesk<FeaturePhaseInputs>;

/** Whether the document has to be written first. */
export async function draftNeeded(desk: Desk, key: AuthoredKey): Promise<boolean> {
  return (await look(desk, `before ${artifacts[key].file}`)).files[key].kind !== 'present';
}

/** Writes the document unless it is there; one that is there is reviewed as it stands. */
export function draftDocument(desk: Desk, key: AuthoredKey, research?: string): Promise<void> {
  const { file } = artifacts[key];
  return looking(desk, `before ${file}`, async (feature) => {
    const state = feature.files[key];
    if (state.kind === 'present') {
      desk.note(`${file} is there; it is reviewed as it stands`);
      return;
    }
    if (state.kind === 'unusable' && state.reason !== 'empty') {
      desk.warn(`${file} is ${state.reason}; a new one takes its place`);
    }
    const material = research === undefined ? {} : { research };
    const draft = authorPrompt({ ...subject(desk.inputs), ...material, key, ...feature });
    await author(desk, key, { feature, draft, name: 'first draft' });
  });
}

/** Writes the document again from what it depends on, because that changed. */
export function rewriteDocument(desk: Desk, key: AuthoredKey, name: string): Promise<void> {
  return looking(desk, `${name} ${key}`, async (feature) => {
    const draft = authorPrompt({ ...subject(desk.inputs), key, ...feature });
    await author(desk, key, { feature, draft, name });
  });
}

export type Revision = {
  answer: ReviewAnswer;
  result: GateResult;
  command: FeaturePhaseInputs['phase'];
  role: string;
  iteration: number;
  max: number;
};

export type Revised = {
  /** False: the document was changed meanwhile and stays as it is. */
  written: boolean;
  /** For the history. */
  changes: string;
  commit?: CommitKind | undefined;
};

/** T-121: everything that holds the gate up is resolved; suggestions may be. */
export async function reviseDocument(
  desk: Desk,
  key: AuthoredKey,
  { answer, result, command, role, iteration, max }: Revision,
): Promise<Revised> {
  const { must, may } = revisionIssues(answer, result);
  const issues = { must: issueLines(must), may: issueLines(may) };
  const name = `revision ${iteration} for ${role}`;
  const written = await looking(desk, `${key} ${name}`, (feature) => {
    const draft = revisionPrompt({ ...subject(desk.inputs), key, ...feature, issues, iteration, max });
    return author(desk, key, { feature, draft, name });
  });
  const { file } = artifacts[key];
  if (!written) return { written, changes: `${file} was changed by hand; the revision was set aside` };
  const changes = `Revised ${file} for ${counted(must.length, 'issue')}`;
  return { written, changes, commit: await commitDocument(desk, key, { command, role, iteration }) };
}

/** §2F: a phase that was gone back to begins with what was found out later. */
export function answerTravel(desk: Desk, key: AuthoredKey): Promise<void> {
  return looking(desk, `travel to ${key}`, async (feature) => {
    const { backwardContext: travel } = feature.meta.meta;
    if (travel?.targetPhase !== desk.inputs.phase || feature.files[key].kind !== 'present') return;
    const must = backwardIssues(travel);
    if (must.length === 0) return;
    const name = `revision for ${travel.sourcePhase ?? 'a later phase'}`;
    const issues = { must, may: [] };
    const draft = revisionPrompt({ ...subject(desk.inputs), key, ...feature, issues, iteration: 1, max: 1 });
    await author(desk, key, { feature, draft, name });
  });
}

type Writing = { feature: FeatureFiles; draft: PromptDraft; name: string };

async function author(desk: Desk, key: AuthoredKey, { feature, draft, name }: Writing): Promise<boolean> {
  const text = await desk.author(draft, `write ${key} ${name}`, (answer) => {
    const reading = readDocument(answer);
    return reading.ok ? { ok: true, value: reading.text } : reading;
  });
  return saveDocument(desk, { key, name, text, before: feature.files[key] });
}

function subject({ description, brief }: FeaturePhaseInputs) {
  return { ...(description === undefined ? {} : { description }), ...(brief === undefined ? {} : { brief }) };
}
