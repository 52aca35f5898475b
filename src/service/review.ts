import path from 'node:path';
import { thisWorld } from '../agents/settings.ts';
import { CharretteError } from '../base/errors.ts';
import { readTextFile } from '../base/files/bounded.ts';
import { parseJson } from '../base/safe-json.ts';
import { counted } from '../base/text/strings.ts';
import { listRunIds, runDirectoryOf } from '../engine/run-directory.ts';
import type { NewRun } from '../workflows/create-run.ts';
import { estimateOf } from '../workflows/design/depth.ts';
import { prepareDesign } from '../workflows/design/prepare.ts';
import { readBaseline } from '../workflows/review/baseline.ts';
import { type Earlier, earlierOf, since } from '../workflows/review/earlier.ts';
import type { ReviewInputs } from '../workflows/review/inputs.ts';
import type { ReviewFile } from '../workflows/review/report.ts';
import {
  type Frozen,
  freeze,
  partsOf,
  resolveSubject,
  type Subject,
  type SubjectRequest,
} from '../workflows/review/subject.ts';
import { agentNames, rosterOf } from '../workflows/roster.ts';
import { findRun, type Project, settingsOf } from './project.ts';

/** The panel of each depth. */
export const reviewDepths = { solo: 'solo', light: 'pair', regular: 'diagonal' } as const;

/** A review as a user or a program asks for it. */
export type ReviewRequest = Omit<SubjectRequest, 'cwd' | 'mainBranch' | 'remote'> & {
  depth?: keyof typeof reviewDepths;
  /** Another panel than that of the depth. */
  panel?: string;
  agents?: string;
  maxTokens?: number;
  maxUsd?: number;
  /** Only what came after the last review of the branch, and what that left open. */
  sinceLast?: boolean;
  failOn?: ReviewInputs['failOn'];
  acceptDegraded?: boolean;
  fromRun?: string;
  consented?: boolean;
};

/** `frozen`: what would be reviewed at this moment; without files there is nothing to review. */
export type PreparedReview = NewRun & { inputs: ReviewInputs; frozen: Frozen; warnings: string[] };

/** Settles everything that a review needs to know before it starts; throws what keeps it from starting. */
export async function prepareReview(project: Project, request: ReviewRequest): Promise<PreparedReview> {
  const { depth = 'light', agents, maxTokens, maxUsd, failOn = 'major', acceptDegraded, fromRun } = request;
  const config = await settingsOf(project);
  const { git = {} } = config;
  const found = await resolveSubject(project.project, { ...git, ...request, cwd: project.cwd });
  const earlier = request.sinceLast === true ? await earlierReview(project, found) : undefined;
  const subject = earlier === undefined ? found : await since(project.project, found, earlier);
  const roster = rosterOf(config, thisWorld(), agentNames(agents)).filter(
    ({ protocol }) => protocol !== 'static',
  );
  if (roster.length === 0)
    throw new CharretteError({
      code: 'agent-not-found',
      message: 'No agent is here that could review; rules alone do not judge code.',
      fix: 'Run `charrette doctor` for the agents it found. `charrette plan check FILE` checks a plan without any agent.',
    });
  const { inputs, warnings } = await prepareDesign({
    feature: subject.title,
    project: project.project,
    cwd: project.cwd,
    flags: {
      ...{ auto: true, branch: false, agents: roster.map(({ id }) => id).join(',') },
      ...{ panel: request.panel ?? reviewDepths[depth], sketches: '0', dialectic: 'off' },
      ...(depth === 'solo' ? { depth } : {}),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(maxUsd === undefined ? {} : { maxUsd }),
      ...(acceptDegraded === undefined ? {} : { acceptDegraded }),
    },
    world: thisWorld(),
    configFile: project.configFile,
    consented: request.consented === true,
    interactive: false,
    fromRun: fromRun === undefined ? undefined : (await findRun(project, fromRun)).id,
    chooseDepth: async (proposal) => proposal.depth,
  });
  const frozen = await freeze(project.project, subject);
  const characters = frozen.files.reduce((sum, { patch }) => sum + patch.length, 0);
  const estimate = estimateOf(inputs, characters, inputs.roster, inputs.prices);
  const parts = Math.max(1, partsOf(frozen.files).length);
  return {
    workflow: 'review',
    title: `review ${subject.title}`,
    baseCommit: subject.base,
    inputs: {
      ...withoutTree(inputs),
      ...{ subject, failOn, known: await readBaseline(project.project), baseCommit: subject.head },
      ...(earlier === undefined ? {} : { earlier }),
      estimate: { ...estimate, calls: estimate.calls * parts },
    },
    frozen,
    warnings:
      parts === 1 ? warnings : [...warnings, `A large change: ${counted(parts, 'part')} for every reviewer.`],
  };
}

/** the newest finished review of the branch. */
async function earlierReview(project: Project, { kind, branch }: Subject): Promise<Earlier> {
  if (kind === 'branch' && branch !== undefined)
    for (const run of (await listRunIds(project)).reverse()) {
      const file = await readReview(project, run);
      if (file?.subject.kind === 'branch' && file.subject.branch === branch) return earlierOf(file);
    }
  throw new CharretteError({
    code: 'not-found',
    message: `There is no earlier review of ${branch ?? 'this'}; --since-last needs one of the same branch.`,
    fix: 'Omit --since-last.',
  });
}

/** The result of a finished review. */
export async function readReview(project: Project, run: string): Promise<ReviewFile | undefined> {
  const file = path.join(runDirectoryOf(project, run).artifacts, 'review.json');
  const text = await readTextFile(file);
  return text === undefined ? undefined : (parseJson(text, file) as unknown as ReviewFile);
}

/** Reviewers read a checkout of their own, so the user's tree is not watched: it may change meanwhile. */
function withoutTree<Inputs extends { entry?: unknown }>({
  entry: _,
  ...inputs
}: Inputs): Omit<Inputs, 'entry'> {
  return inputs;
}
