import type { JsonSchema } from '../agents/port.ts';
import { CharretteError } from '../base/errors.ts';
import type { Judgement, JudgementName } from '../base/schema/judgements.ts';
import type { Stance } from '../prompts/panel/sketch.ts';
import type { PromptDraft } from '../prompts/part.ts';
import type { Boundary } from '../repo/git/tree-probe.ts';
import type { StatusTable } from './breadcrumbs.ts';
import type { Reply as CallReply } from './call/call.ts';
import type { AnswerCheck } from './call/judgement.ts';
import type { Place } from './call/once.ts';
import type { Chair } from './panels.ts';

/** A place at the table and the agents that may take it, the first choice first. Without agents it stays empty. */
export type Seat = {
  id: string;
  label: string;
  /** Default: generic. */
  stance?: Stance;
  agents: string[];
  /** The agent that it is meant for, whichever takes it (L-042). Default: the first. */
  owner?: string;
  output?: string;
  /** Of judges and voters. */
  chair?: Chair;
  /** The agent that was announced for it when the run started; `down`: why that agent is unavailable. */
  planned?: { agent: string; down?: string };
  /** L-207: another agent than the author is asked, and asked for the most it can do. */
  outside?: boolean;
};

/** One question to one seat. */
export type Question<Name extends JudgementName> = {
  /** Its folder among the calls of the run; stable. */
  key: string;
  /** The name of the task that the agent gets. */
  kind: string;
  judgement: Name;
  draft: (schema: JsonSchema, maximumEffort: boolean) => PromptDraft;
  /** The same question as data, for agents that live in this process. */
  facts?: Readonly<Record<string, unknown>>;
  /** Where the agent works. Default: it reads the project. */
  place?: Place | undefined;
  /** Demands on the answer that its schema cannot express. */
  check?: AnswerCheck<Name> | undefined;
  /** Sees the prompt before any agent does. */
  inspect?: ((prompt: string) => void) | undefined;
};

export type Call<Name extends JudgementName> = readonly [seat: Seat, question: Question<Name>];

/** What came of a call; without a value it failed. An empty seat replies without an agent. */
export type Reply<Name extends JudgementName> = CallReply<Judgement<Name>>;

/** All that a round may do; the workflow that holds the round provides it. */
export type Council = {
  /** L-204: asks all seats in parallel and waits for every one. With `table` their states are shown at launch and at the end. */
  ask<Name extends JudgementName>(
    limit: TimeLimit,
    calls: readonly Call<Name>[],
    table?: StatusTable,
  ): Promise<Reply<Name>[]>;
  /** Writes a file of the public record. */
  artifact(name: string, text: string): Promise<void>;
  warn(text: string): void;
  /** L-420: checks that the agents of a round left the working tree as it was. */
  checkTree(boundary: Boundary, round?: number): Promise<void>;
};

/** L-930, L-931, P-067: the only place with time limits of calls, in seconds. */
export const timeLimits = {
  sketch: 1200,
  review: 1800,
  debate: 1800,
  judge: 1800,
  vote: 1200,
  author: 1800,
  stage: 3600,
} as const;

export type TimeLimit = keyof typeof timeLimits;

/** L-375: names every attempt that failed with its reason, also when another agent answered in the end. */
export function warnOfFailures(
  council: Council,
  label: string,
  { failures }: Pick<Reply<JudgementName>, 'failures'>,
): void {
  const times = new Map<string, number>();
  for (const { agent, message } of failures) {
    const text = `${label} failed — ${agent}: ${message}`;
    times.set(text, (times.get(text) ?? 0) + 1);
  }
  for (const [text, count] of times) council.warn(count === 1 ? text : `${text} (${count} attempts)`);
}

/** A narrow task of the author (C-31) that the run can do without. */
export async function tryAuthor<Name extends JudgementName>(
  council: Council,
  author: Seat,
  question: Question<Name>,
): Promise<Reply<Name>> {
  const [reply] = await council.ask('author', [[author, question]]);
  if (reply === undefined) throw new Error(`The task ${question.kind} has no reply.`);
  warnOfFailures(council, `${author.label} (${question.kind})`, reply);
  return reply;
}

/** C-31: a task of the author that the run needs; without a usable answer it fails with every attempt named, and can be resumed. */
export async function askAuthor<Name extends JudgementName>(
  council: Council,
  author: Seat,
  question: Question<Name>,
): Promise<Judgement<Name>> {
  const { value, failures } = await tryAuthor(council, author, question);
  if (value !== undefined) return value;
  const tried = failures.map(({ agent, kind, message }) => `${agent}: ${kind} (${message})`).join('; ');
  throw new CharretteError({
    code: 'author-failed',
    message: `No agent could do the task ${question.kind}: ${tried}.`,
    fix: 'Fix the named cause (login, limits, network), then resume the run: finished calls are not repeated.',
    retryable: true,
  });
}
