import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { containedPath, readTextFile } from '../../base/files/bounded.ts';
import { isRecord } from '../../base/safe-json.ts';
import type { Price } from '../../engine/ledger.ts';
import { type Answer, readQuestions } from '../../engine/question.ts';
import { type Home, type RunDirectory, runDirectoryOf } from '../../engine/run-directory.ts';
import { readRunRecord } from '../../engine/run-record.ts';
import { readArtifact, readPicture } from '../../service/artifacts.ts';
import type { CommandTable } from '../../service/command.ts';
import type { Project } from '../../service/project.ts';
import { refreshQueued } from '../../service/queue-facts.ts';
import { cancel, runStatus } from '../../service/runs.ts';
import { answerDetached, resumeDetached, startByCommand } from '../../service/start.ts';
import { formsOf, wordsOf } from './forms.ts';
import { listedRuns, snapshotOf } from './snapshot.ts';
import { readSourceLines } from './source-lines.ts';
import { attemptsOf } from './view/run-files.ts';

/** What an address of the API answers: a JSON document, text, or lines of events. */
export type Reply =
  | { kind: 'json'; value: unknown }
  | { kind: 'text'; text: string }
  | { kind: 'lines'; text: string }
  | { kind: 'stream'; directory: RunDirectory; after: number };

export type Desk = {
  project: Project;
  prices: Readonly<Record<string, Price>> | undefined;
  /** Every command; the page starts some of them. */
  commands: CommandTable;
};

export type Asked = { query: URLSearchParams; lastEventId: string | undefined; body: () => Promise<unknown> };

type Route = {
  method: 'GET' | 'POST';
  pattern: RegExp;
  answer: (desk: Desk, names: string[], asked: Asked) => Promise<Reply>;
};

/** Runs that one answer lists. */
const mostListed = 5000;

const json = (value: unknown): Reply => ({ kind: 'json', value });

/** Every address of the API. Names in them are decoded here and checked where they are used. */
const routes: readonly Route[] = [
  {
    method: 'GET',
    pattern: /^\/api\/runs$/,
    answer: async ({ project }, _names, { query }) => {
      const limit = Math.min(numberIn(query, 'limit', 100), mostListed);
      return json(await listedRuns(project, limit));
    },
  },
  {
    method: 'GET',
    pattern: /^\/api\/forms$/,
    answer: async ({ project, commands }) => json(await formsOf(project, commands)),
  },
  {
    method: 'POST',
    pattern: /^\/api\/runs$/,
    answer: async ({ project, commands }, _names, { body }) =>
      json(await steered(await startByCommand(project, await wordsOf(project, commands, await body())))),
  },
  {
    method: 'GET',
    pattern: /^\/api\/runs\/([^/]+)$/,
    answer: async ({ project, prices }, [run]) => json(await snapshotOf(runOf(project, run), prices)),
  },
  {
    method: 'GET',
    pattern: /^\/api\/runs\/([^/]+)\/events$/,
    answer: async ({ project }, [run], { query }) => {
      const directory = await existing(project, run);
      const text = await readFile(directory.events, 'utf8').catch(() => '');
      const after = numberIn(query, 'after', 0);
      const whole = text.slice(0, text.lastIndexOf('\n') + 1);
      return { kind: 'lines', text: after === 0 ? whole : linesAfter(whole, after) };
    },
  },
  {
    method: 'GET',
    pattern: /^\/api\/runs\/([^/]+)\/stream$/,
    answer: async ({ project }, [run], { query, lastEventId }) => ({
      kind: 'stream',
      directory: await existing(project, run),
      after: /^\d{1,9}$/.test(lastEventId ?? '') ? Number(lastEventId) : numberIn(query, 'after', 0),
    }),
  },
  {
    method: 'GET',
    pattern: /^\/api\/runs\/([^/]+)\/artifacts\/([^/]+)$/,
    answer: async ({ project }, [run, name = '']) => ({
      kind: 'text',
      text: await readArtifact(await existing(project, run), name),
    }),
  },
  {
    method: 'GET',
    pattern: /^\/api\/runs\/([^/]+)\/pictures\/([^/]+)$/,
    answer: async ({ project }, [run, name = '']) => ({
      kind: 'text',
      text: await readPicture(await existing(project, run), name),
    }),
  },
  {
    method: 'GET',
    pattern: /^\/api\/runs\/([^/]+)\/lanes\/([^/]+)$/,
    answer: async ({ project }, [run, lane = '']) => json(await laneOf(await existing(project, run), lane)),
  },
  {
    method: 'GET',
    pattern: /^\/api\/runs\/([^/]+)\/source$/,
    answer: async ({ project }, [run], { query }) => {
      const { baseCommit } = await readRunRecord(runOf(project, run));
      const line = Math.max(1, numberIn(query, 'line', 1));
      const endLine = numberIn(query, 'end', line);
      return json(
        await readSourceLines(project.project, baseCommit, { path: query.get('path') ?? '', line, endLine }),
      );
    },
  },
  {
    method: 'POST',
    pattern: /^\/api\/runs\/([^/]+)\/answers$/,
    answer: async ({ project }, [run], { body }) =>
      json(await answerQuestions(project, runOf(project, run), await body())),
  },
  {
    method: 'POST',
    pattern: /^\/api\/runs\/([^/]+)\/resume$/,
    answer: async ({ project }, [run]) =>
      json(await steered(await resumeDetached(project, runOf(project, run)))),
  },
  {
    method: 'POST',
    pattern: /^\/api\/runs\/([^/]+)\/cancel$/,
    answer: async ({ project }, [run]) => json(await cancelRun(project, runOf(project, run))),
  },
];

/** The answer to a request; throws a CharretteError that says what is wrong with it. */
export async function answerRoute(desk: Desk, method: string, address: string, asked: Asked): Promise<Reply> {
  for (const route of routes) {
    const match = route.method === method ? route.pattern.exec(address) : null;
    if (match) return route.answer(desk, match.slice(1).map(decode), asked);
  }
  throw new CharretteError({ code: 'not-found', message: 'No page has this address.' });
}

/** A lane's attempts: prompts and answers. */
async function laneOf(directory: RunDirectory, lane: string) {
  const attempts = await attemptsOf(directory, lane);
  const below = (folder: string, name: string) => path.relative(directory.root, path.join(folder, name));
  if (attempts.length === 0)
    throw new CharretteError({ code: 'not-found', message: 'The run has no such lane.' });
  return {
    lane,
    attempts: await Promise.all(
      attempts.map(async ({ attempt, folder }) => ({
        attempt,
        prompt: (await readTextFile(await containedPath(directory.root, below(folder, 'prompt.md')))) ?? '',
        answer: (await readTextFile(await containedPath(directory.root, below(folder, 'answer.txt')))) ?? '',
      })),
    ),
  };
}

function runOf(home: Home, run: string | undefined): RunDirectory {
  return runDirectoryOf(home, run ?? '');
}

async function existing(home: Home, run: string | undefined): Promise<RunDirectory> {
  const directory = runOf(home, run);
  await readRunRecord(directory);
  return directory;
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw new CharretteError({ code: 'usage', message: 'The address is not encoded as it should be.' });
  }
}

function numberIn(query: URLSearchParams, name: string, missing: number): number {
  const text = query.get(name);
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : missing;
}

/** Lines are numbered from 1 without gaps, so the first `after` lines are skipped without reading them. */
function linesAfter(text: string, after: number): string {
  let start = 0;
  for (let passed = 0; passed < after; passed += 1) {
    const end = text.indexOf('\n', start);
    if (end < 0) return '';
    start = end + 1;
  }
  return text.slice(start);
}

type Steered = { run: string; status: string };

const maxAnswer = 20_000;
/** A run takes a moment to end its agents; the page learns of the end in any case. */
const endMs = 10_000;

async function steered(directory: RunDirectory): Promise<Steered> {
  return { run: directory.id, status: (await runStatus(directory)).status };
}

/** Answers questions that were asked; a paused run continues in a separate process. */
async function answerQuestions(project: Project, directory: RunDirectory, body: unknown): Promise<Steered> {
  await readRunRecord(directory);
  const answers = readAnswers(body);
  const { questions } = readQuestions(directory);
  const unknown = answers.find(({ question }) => !questions.some(({ id }) => id === question));
  if (unknown !== undefined)
    throw new CharretteError({
      code: 'usage',
      message: `The run does not ask ${JSON.stringify(unknown.question)}.`,
    });
  await answerDetached(project, directory, answers);
  return steered(directory);
}

/** Ends a run, whichever process works on it. */
async function cancelRun(project: Project, directory: RunDirectory): Promise<Steered> {
  await refreshQueued(project, [directory.id]);
  const { status } = await cancel(project, directory, AbortSignal.timeout(endMs));
  return { run: directory.id, status };
}

function readAnswers(body: unknown): Answer[] {
  const given = isRecord(body) && isRecord(body['answers']) ? Object.entries(body['answers']) : [];
  const answers = given.flatMap(([question, value]): Answer[] =>
    typeof value === 'string' && value.length <= maxAnswer ? [{ question, value, source: 'person' }] : [],
  );
  if (answers.length > 0 && answers.length === given.length) return answers;
  throw new CharretteError({
    code: 'usage',
    message: 'The body must be {"answers": {"<question>": "<answer>"}} with at least one answer.',
  });
}
