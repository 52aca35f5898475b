// What lies between the agents of a panel when it has many seats: prompts, merging, counting, files. No agent is asked.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Sketch, Synthesis } from '../../src/base/schema/judgements/design.ts';
import type { Plan } from '../../src/base/schema/judgements/plan.ts';
import { judgementJsonSchema } from '../../src/base/schema/judgements.ts';
import { rankDecisions, readDecisions, renderDecisions } from '../../src/council/decisions.ts';
import { readFindings, renderFindings } from '../../src/council/findings-text.ts';
import { acceptedFindings, readAccepted, renderAccepted } from '../../src/council/outcome-files.ts';
import {
  mergeCandidates,
  numberCandidates,
  type RaisedFinding,
  type ReviewItem,
} from '../../src/council/review.ts';
import { readSynthesisInWords, renderSketch, renderSynthesis } from '../../src/council/sketch.ts';
import { readTally, renderTally, scoreboard, tally } from '../../src/council/tally.ts';
import { buildReviewBallot, quorumOf, readVotes, renderVotes, votesOf } from '../../src/council/vote.ts';
import { renderPlan } from '../../src/plan/plan-text.ts';
import { mergeFindingsPrompt, planReviewPrompt, votePrompt } from '../../src/prompts/panel/plan.ts';
import { synthesisPrompt } from '../../src/prompts/panel/sketch.ts';
import { compose, type PromptDraft, seededNonce } from '../../src/prompts/part.ts';
import { panelAnswer } from '../../test/agents/panel-answers.mjs';
import { raised } from '../../test/review-fixtures.ts';
import type { Dimension, Prepared } from './dimension.ts';
import { seatSizes } from './sizes.ts';

const findingsPerSeat = 4;
const ballotItems = 20;
/** Every panel has three chairs that vote, however many seats it has. */
const chairs = ['first', 'second', 'author'];
const commission = { description: 'Limit requests per client.' };
const planText = renderPlan(panelAnswer('plan', '') as Plan);

export function panelSeatWork(workspace: string): Dimension[] {
  return [
    {
      what: 'seats',
      work: 'synthesis, review, ballot, votes over so many seats: prompts, merging, tally, files written and read',
      sizes: seatSizes,
      prepare: (size) => panel(workspace, size),
    },
    {
      what: 'voters',
      work: `the same for a ballot of ${ballotItems} items that so many vote on`,
      sizes: seatSizes,
      prepare: (size) => {
        const items = itemsOf(findingsBy(seatNames(ballotItems / findingsPerSeat)));
        return inFolder(workspace, (keep) => voting(items, seatNames(size), keep));
      },
    },
  ];
}

/** Writes a file and returns what reading it yields. */
type Keep = (name: string, text: string) => string;

function panel(workspace: string, seats: number): Prepared {
  const names = seatNames(seats);
  const sketches = names.map((name) => ({ name, sketch: panelAnswer('sketch', '', name) as Sketch }));
  const findings = findingsBy(names);
  return inFolder(workspace, (keep) => {
    const texts = sketches.map(({ name, sketch }) => ({
      label: name,
      text: keep(`${name}.txt`, renderSketch(sketch)),
    }));
    const schema = judgementJsonSchema('synthesis');
    const asked = prompt(synthesisPrompt({ commission, sketches: texts, highlights: true, schema }));
    const synthesis = panelAnswer('synthesis', asked) as Synthesis;
    readSynthesisInWords(keep('approach-synthesis.txt', renderSynthesis(synthesis)));
    readDecisions(keep('contested-decisions.md', renderDecisions(rankDecisions(synthesis.contested))));
    for (const name of names) review(name, findings, keep);
    const items = itemsOf(findings);
    const merging = renderFindings(findings);
    prompt(mergeFindingsPrompt({ findings: merging, schema: judgementJsonSchema('merge') }));
    return voting(items, chairs, keep);
  });
}

function review(name: string, findings: readonly RaisedFinding[], keep: Keep): void {
  const schema = judgementJsonSchema('review');
  prompt(planReviewPrompt({ commission, stance: 'arch', plan: planText, competition: true, schema }));
  const own = findings.filter(({ reviewer }) => reviewer === name);
  readFindings(keep(`${name}-review.txt`, renderFindings(own)));
}

function voting(items: readonly ReviewItem[], voters: readonly string[], keep: Keep): number {
  const { text, proposers } = buildReviewBallot(items, { neutral: `${commission.description}\n${planText}` });
  const ballot = keep('ballot.txt', text);
  const ids = items.map(({ id }) => id);
  const schema = judgementJsonSchema('vote');
  const cast = ids.map((id, index) => ({
    id,
    vote: index % 3 === 0 ? ('YES' as const) : ('NO' as const),
    reason: 'checked',
  }));
  const ballots = voters.map((label) => {
    prompt(votePrompt({ voter: 'engineer', commission, plan: planText, ballot, schema }));
    const { votes } = votesOf({ votes: cast }, ids);
    return { label, votes: readVotes(keep(`${label}-vote.txt`, renderVotes(votes)), ids).votes };
  });
  const quorum = quorumOf(ballots);
  const entries = tally(items, quorum);
  const scores = scoreboard(entries, Object.values(proposers));
  readAccepted(keep('accepted-plan-findings.md', renderAccepted(acceptedFindings(entries, {}))));
  return readTally(keep('voting-tally.md', renderTally(entries, quorum, scores, 'sha256:0'))).items.length;
}

function prompt(draft: PromptDraft): string {
  return compose(draft, { nonce: seededNonce('growth') }).text;
}

function seatNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `Cursor-Seat${index + 1}`);
}

function findingsBy(names: readonly string[]): RaisedFinding[] {
  return names.flatMap((name, seat) =>
    Array.from({ length: findingsPerSeat }, (_, index) =>
      raised(name, {
        title: `The limit ${seat}.${index} is not configurable`,
        concern: `Operators cannot change limit ${index} of ${name} without a new build.`,
        suggestedRevision: `Read limit ${seat}.${index} from the configuration.`,
        citations: [{ file: `src/part-${seat}.ts`, line: index + 1, endLine: null, quote: null }],
      }),
    ),
  );
}

function itemsOf(findings: readonly RaisedFinding[]): ReviewItem[] {
  const candidates = numberCandidates(findings);
  return mergeCandidates(candidates, { clusters: candidates.map(({ id }) => ({ ids: [id], title: null })) })
    .items;
}

function inFolder(workspace: string, act: (keep: Keep) => unknown): Prepared {
  const folder = mkdtempSync(path.join(workspace, 'panel-'));
  const keep: Keep = (name, text) => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return readFileSync(file, 'utf8');
  };
  return { act: () => act(keep), clean: () => rmSync(folder, { recursive: true }) };
}
