import { type ArtifactFile, type ArtifactKey, artifactKeys, artifacts } from '../../src/prompts/artifacts.ts';
import { readMeta } from '../../src/prompts/feature/meta.ts';
import type { FeatureFiles } from '../../src/prompts/feature-files.ts';
import type { TokenCount } from '../../src/prompts/markers.ts';
import { seededNonce } from '../../src/prompts/part.ts';
import { deltaSince, noResumeState, takeSnapshot, withFixSummary } from '../../src/prompts/resume/state.ts';
import type { Dispatch } from '../../src/prompts/roles/shapes.ts';
import { dispatchFor } from '../../src/prompts/roles/table.ts';
import { reviewOnce } from '../../src/workflows/feature/review.ts';
import type { Revision } from './history.ts';

export type Judged = {
  kind: 'delta';
  role: string;
  /** Commits that say that they answer a review. */
  review: boolean;
  lone: boolean;
  trips: boolean;
  /** With the prompt alone as the base. */
  legacyTrips: boolean;
  /** Characters of the documents that the role reads. */
  reads: number;
};

/** Changes that do not count as a revision between two rounds, and why. */
export type LeftOut = { kind: 'ticks' | 'front matter, white space' | 'stub' };

const commands = { spec: 'specify', design: 'design', plan: 'plan', tasks: 'tasks' } as const;
const domainRoles = {
  spec: 'spec-reviewer',
  design: 'design-reviewer',
  plan: 'plan-reviewer',
  tasks: 'task-reviewer',
} as const;

/** lean/C-26: below this there was no document to review. */
const leastBytes = 100;

export type JudgeOptions = { count: TokenCount; summaryCharacters: number };

/**
 * Plays two rounds of the program's own review with the document as it was and as it became: the first call is fresh,
 * and the second says whether it would have been continued (lean/C-01, lean/C-02).
 */
export async function judgeRevision(
  revision: Revision,
  { count, summaryCharacters }: JudgeOptions,
): Promise<Judged | LeftOut> {
  const { key, before, after, subject } = revision;
  if (Buffer.byteLength(before) < leastBytes) return { kind: 'stub' };
  if (unticked(before) === unticked(after)) return { kind: 'ticks' };
  const name = artifacts[key].file;
  const delta = deltaSince(takeSnapshot({ [name]: before }), { [name]: after });
  if (delta.kind === 'same') return { kind: 'front matter, white space' };
  const role = /phase-review|handoff|chain/i.test(subject) ? 'phase-reviewer' : domainRoles[key];
  const review = /\breview\b/i.test(subject);
  const dispatch = dispatchOf(revision, role);
  const call = {
    dispatch,
    max: 5,
    transport: 'reference' as const,
    agentResumes: true,
    finalValidation: false,
  };
  const port = {
    call: async () => ({ text: answer, session: 'session' }),
    now: 0,
    count,
    nonce: seededNonce(revision.commit),
  };
  const first = await reviewOnce(
    { ...call, feature: featureOf(revision, before), state: noResumeState, iteration: 1 },
    port,
  );
  const state = withFixSummary(first.state, 1, summaryOf(summaryCharacters));
  const second = await reviewOnce(
    { ...call, feature: featureOf(revision, after), state, iteration: 2 },
    port,
  );
  const trips = second.record.kind === 'fresh';
  const half = (first.record.promptTokens ?? 0) / 2;
  return {
    kind: 'delta',
    role,
    review,
    lone: revision.lone,
    trips,
    legacyTrips: trips || (second.record.promptTokens ?? 0) > half,
    reads: readsOf(revision, dispatch),
  };
}

/** T-034: a project that keeps no plan, say, has roles that do not read one. Less to read makes continuing harder, not easier. */
function dispatchOf({ key, nearby }: Revision, role: string): Dispatch {
  const command = commands[key];
  const { required } = dispatchFor(command, role);
  const there = required.filter((name) => name === key || name === 'prd' || (nearby[name] ?? '') !== '');
  return dispatchFor(command, role, { [`${command}/${role}`]: there });
}

function readsOf({ key, before, nearby }: Revision, { required }: Dispatch): number {
  const read = new Set<ArtifactKey>([...required, key]);
  return [...read].reduce((sum, name) => sum + (name === key ? before : (nearby[name] ?? '')).length, 0);
}

const answer =
  '{"approved":false,"issues":[{"severity":"warning","description":"d","location":"l","suggestion":"s"}],"summary":"s"}';

function unticked(text: string): string {
  return text.replace(/^(\s*(?:[-*+]|\d+[.)])\s+)\[[xX~-]\]/gm, '$1[ ]');
}

function summaryOf(characters: number): string {
  const words = 'Stated the missing limit, named the file and the test, and took the second option out. ';
  return words.repeat(Math.ceil(characters / words.length)).slice(0, characters);
}

function featureOf({ key, nearby, folder }: Revision, text: string): FeatureFiles {
  const texts: Partial<Record<ArtifactKey, string>> = { ...nearby, [key]: text };
  const files = Object.fromEntries(
    artifactKeys.map((name): [ArtifactKey, ArtifactFile] => {
      const content = texts[name];
      if (content === undefined || content === '') return [name, { kind: 'missing' }];
      const path = `/project/${folder}/${artifacts[name].file}`;
      return [name, { kind: 'present', path, bytes: content.length, text: content, damaged: false }];
    }),
  ) as Record<ArtifactKey, ArtifactFile>;
  const prd =
    files.prd.kind === 'present'
      ? ({ kind: 'path', path: files.prd.path } as const)
      : ({ kind: 'none' } as const);
  return { directory: `/project/${folder}`, files, meta: readMeta('{}'), prd };
}
