import path from 'node:path';
import { backwardIssues } from '../../feature/backward.ts';
import { type GateResult, revisionIssues } from '../../feature/gate.ts';
import type { ReviewAnswer } from '../../feature/review-answer.ts';
import { artifacts } from '../../prompts/artifacts.ts';
import { readDocument } from '../../prompts/author/document-answer.ts';
import { type AuthoredKey, authorPrompt, revisionPrompt } from '../../prompts/author/write.ts';
import { type CommitKind, commitDocument } from './commit.ts';
import type { FeatureDesk } from './desk.ts';
import type { FeaturePhaseInputs } from './inputs.ts';
import { issueLines, look, save } from './records.ts';

type Desk = FeatureDesk<FeaturePhaseInputs>;

/** Whether the document has to be written first. */
export async function draftNeeded(desk: Desk, key: AuthoredKey): Promise<boolean> {
  return (await look(desk, `before ${artifacts[key].file}`)).files[key].kind !== 'present';
}

/** Writes the document unless it is there; one that is there is reviewed as it stands. */
export async function draftDocument(desk: Desk, key: AuthoredKey, research?: string): Promise<boolean> {
  const { file } = artifacts[key];
  const before = await look(desk, `before ${file}`);
  const state = before.files[key];
  if (state.kind === 'present') {
    desk.note(`${file} is there; it is reviewed as it stands`);
    return false;
  }
  if (state.kind === 'unusable' && state.reason !== 'empty') {
    desk.warn(`${file} is ${state.reason}; a new one takes its place`);
  }
  const material = research === undefined ? {} : { research };
  await author(
    desk,
    key,
    authorPrompt({ ...subject(desk.inputs), ...material, key, ...before }),
    'first draft',
  );
  return true;
}

/** Writes the document again from what it depends on, because that changed. */
export async function rewriteDocument(desk: Desk, key: AuthoredKey, name: string): Promise<void> {
  const feature = await look(desk, `${name} ${key}`);
  await author(desk, key, authorPrompt({ ...subject(desk.inputs), key, ...feature }), name);
}

export type Revision = {
  answer: ReviewAnswer;
  result: GateResult;
  command: FeaturePhaseInputs['phase'];
  role: string;
  iteration: number;
  max: number;
};

/** T-121: everything that holds the gate up is resolved; suggestions may be. */
export async function reviseDocument(
  desk: Desk,
  key: AuthoredKey,
  { answer, result, command, role, iteration, max }: Revision,
): Promise<CommitKind | undefined> {
  const { must, may } = revisionIssues(answer, result);
  const issues = { must: issueLines(must), may: issueLines(may) };
  const name = `revision ${iteration} for ${role}`;
  const feature = await look(desk, `${key} ${name}`);
  const draft = revisionPrompt({ ...subject(desk.inputs), key, ...feature, issues, iteration, max });
  await author(desk, key, draft, name);
  return commitDocument(desk, key, { command, role, iteration });
}

/** §2F: a phase that was gone back to begins with what was found out later. */
export async function answerTravel(desk: Desk, key: AuthoredKey): Promise<void> {
  const feature = await look(desk, `travel to ${key}`);
  const { backwardContext: travel } = feature.meta.meta;
  if (travel?.targetPhase !== desk.inputs.phase || feature.files[key].kind !== 'present') return;
  const must = backwardIssues(travel);
  if (must.length === 0) return;
  const name = `revision for ${travel.sourcePhase ?? 'a later phase'}`;
  const issues = { must, may: [] };
  const draft = revisionPrompt({ ...subject(desk.inputs), key, ...feature, issues, iteration: 1, max: 1 });
  await author(desk, key, draft, name);
}

async function author(
  desk: Desk,
  key: AuthoredKey,
  draft: ReturnType<typeof authorPrompt>,
  name: string,
): Promise<void> {
  const text = await desk.author(draft, `write ${key} ${name}`, (answer) => {
    const reading = readDocument(answer);
    return reading.ok ? { ok: true, value: reading.text } : reading;
  });
  await save(desk, path.join(desk.inputs.directory, artifacts[key].file), text, name);
}

function subject({ description, brief }: FeaturePhaseInputs) {
  return { ...(description === undefined ? {} : { description }), ...(brief === undefined ? {} : { brief }) };
}
