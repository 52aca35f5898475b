import { literalPattern } from '../../../base/text/strings.ts';
import type { Assignment } from '../../../plan/tasks/executor.ts';

/** A part of a sentence: whom and which tasks it names, in its order, whether it says no, and whether it says how it is not to be done. */
type Clause = { mentions: Mention[]; denies: boolean; limits: boolean };
type Mention = { kind: 'executor' | 'task'; name: string };

const sentenceEnd = /[.;!?](?=\s|$)|\n/;
const clauseEnd = /,\s|\s(?:and|but|while|whereas|then)\s/i;
const denial = /(?<![\w-])(?:not|never|without|no|except|cannot)(?![\w-])|n['’]t(?!\w)/i;

/** "anyone but codex" is not codex; "nobody but codex" is. */
const allBut = /(?<![\w-])(?:(?:any|every)(?:one|body)|all)\s+but(?![\w-])/gi;

/** What begins the end of a clause that says how, not who: "without touching X". */
const limit = /\s(?:without|with no|not(?= \w+ing\b))\s/i;

/** The words of a plain request. Next to any other word, a "no" may negate all of it: "avoid that codex does TASK-002 without review". */
const requestWords = new Set(
  (
    'please let have use make give assign to for by on with and also the a task tasks should must shall ' +
    'do does implement implements write writes build builds handle handles take takes carry carries out over ' +
    'execute executes fix fixes finish finishes go goes is are be done made written built implemented handled'
  ).split(' '),
);

/**
 * P-071: requests such as "codex implements TASK-002" or "use mine for TASK-001 and other for TASK-002"; nothing else makes an
 * entry. Later requests win over earlier ones. A negated clause assigns no task, and withdraws the assignments it names.
 */
export function explicitAssignments(
  requests: readonly string[],
  tasks: readonly { id: string }[],
  executors: readonly string[],
): Record<string, Assignment> {
  const read = mentionReader(
    executors,
    tasks.map(({ id }) => id),
  );
  const found: Record<string, Assignment> = {};
  for (const sentence of requests.flatMap((request) => request.split(sentenceEnd))) {
    const clauses = sentence
      .replace(allBut, 'not')
      .split(clauseEnd)
      .map((text): Clause => readClause(text, read))
      .filter(({ mentions }) => mentions.length > 0);
    for (const [at, clause] of clauses.entries()) {
      const own = clause.mentions.some(isExecutor);
      const source = own ? clause : neighbour(clauses, at);
      if (source === undefined) continue;
      for (const { name: id } of clause.mentions.filter(isTask)) {
        const executor = executorFor(source, id);
        if (!source.denies) found[id] = { executor, reason: sentence.trim() };
        else if (found[id]?.executor === executor) delete found[id];
      }
    }
  }
  return found;
}

/** A plain request may end in how not to do it ("without …"), if that end names no agent and no task. */
function readClause(text: string, read: (text: string) => Mention[]): Clause {
  const mentions = read(text);
  const head = text.slice(0, limit.exec(text)?.index);
  const names = new Set(mentions.map(({ name }) => name.toLowerCase()));
  const words = head.toLowerCase().match(/[\w'’-]+/g) ?? [];
  const limits =
    head !== text &&
    read(head).length === mentions.length &&
    mentions.some(isExecutor) &&
    mentions.some(isTask) &&
    words.every((word) => requestWords.has(word) || names.has(word));
  return { mentions, denies: !limits && denial.test(text), limits };
}

/** Whom a clause means with a task: the next one it names when tasks come first ("TASK-001 by mine"), else the one before. */
function executorFor({ mentions }: Clause, id: string): string {
  const at = mentions.findIndex(({ name }) => name === id);
  const [before, after] = [mentions.slice(0, Math.max(at, 0)).reverse(), mentions.slice(at + 1)];
  const order = mentions.slice(0, 1).some(isTask) ? [...after, ...before] : [...before, ...after];
  return order.find(isExecutor)?.name ?? '';
}

/** The clause that names the agent for a clause without one: "mine does TASK-001, TASK-002", "TASK-001, TASK-002 by mine". */
function neighbour(clauses: readonly Clause[], at: number): Clause | undefined {
  // "use mine, not other, for TASK-001": skip a clause that only excludes an agent.
  const speaks = ({ mentions, denies }: Clause) =>
    mentions.some(isExecutor) && (!denies || mentions.some(isTask));
  const before = clauses.slice(0, at).findLast(speaks);
  const after = clauses.slice(at + 1).find(speaks);
  const tasksFirst = (clause: Clause | undefined) => clause?.mentions.slice(0, 1).some(isTask) === true;
  if (before !== undefined && !(tasksFirst(before) && tasksFirst(after))) {
    // In "codex does TASK-001 without touching X and TASK-002" the last has no agent.
    if (before.limits) return undefined;
    return { ...before, mentions: before.mentions.filter(isExecutor).slice(-1) };
  }
  return after && { ...after, mentions: after.mentions.filter(isExecutor).slice(0, 1) };
}

const isExecutor = ({ kind }: Mention) => kind === 'executor';
const isTask = ({ kind }: Mention) => kind === 'task';

/** Finds agents and tasks in a text, as whole words. */
function mentionReader(executors: readonly string[], ids: readonly string[]): (text: string) => Mention[] {
  const known = new Map<string, Mention>([
    ...executors.map((name) => [name.toLowerCase(), { kind: 'executor', name }] as const),
    ...ids.map((name) => [name.toLowerCase(), { kind: 'task', name }] as const),
  ]);
  const longestFirst = [...known.keys()].sort((a, b) => b.length - a.length).map(literalPattern);
  const word = new RegExp(`(?<![\\w-])(?:${longestFirst.join('|')})(?![\\w-])`, 'gi');
  return (text) => [...text.matchAll(word)].flatMap(([name]) => known.get(name.toLowerCase()) ?? []);
}
