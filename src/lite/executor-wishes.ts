import { literalPattern } from '../text/literal-pattern.ts';
import type { Assignment } from './executor.ts';

/** A part of a sentence: whom and which tasks it names, in its order, and whether it says no. */
type Clause = { mentions: Mention[]; denies: boolean };
type Mention = { kind: 'executor' | 'task'; name: string };

const sentenceEnd = /[.;!?](?=\s|$)|\n/;
const clauseEnd = /,\s|\s(?:and|but|while|whereas|then)\s/i;
const denial = /(?<![\w-])(?:not|never|without|no|except|cannot)(?![\w-])|n['’]t(?!\w)/i;

/**
 * P-071: wishes such as "codex implements TASK-002" or "use mine for TASK-001 and other for TASK-002"; nothing else makes an
 * entry. Later wishes win over earlier ones. A clause that says no gives a task to nobody, and takes back what it names.
 */
export function explicitAssignments(
  wishes: readonly string[],
  tasks: readonly { id: string }[],
  executors: readonly string[],
): Record<string, Assignment> {
  const read = mentionReader(
    executors,
    tasks.map(({ id }) => id),
  );
  const found: Record<string, Assignment> = {};
  for (const sentence of wishes.flatMap((wish) => wish.split(sentenceEnd))) {
    const clauses = sentence
      .split(clauseEnd)
      .map((text): Clause => ({ mentions: read(text), denies: denial.test(text) }))
      .filter(({ mentions }) => mentions.length > 0);
    for (const [at, clause] of clauses.entries()) {
      const source = clause.mentions.some(isExecutor) ? clause : neighbour(clauses, at);
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

/** Whom a clause means with a task: the next one it names when tasks come first ("TASK-001 by mine"), else the one before. */
function executorFor({ mentions }: Clause, id: string): string {
  const at = mentions.findIndex(({ name }) => name === id);
  const [before, after] = [mentions.slice(0, Math.max(at, 0)).reverse(), mentions.slice(at + 1)];
  const order = mentions.slice(0, 1).some(isTask) ? [...after, ...before] : [...before, ...after];
  return order.find(isExecutor)?.name ?? '';
}

/** The clause that says who does the tasks of one that names nobody: "mine does TASK-001, TASK-002", "TASK-001, TASK-002 by mine". */
function neighbour(clauses: readonly Clause[], at: number): Clause | undefined {
  // "use mine, not other, for TASK-001": what only says who it is not is no neighbour.
  const speaks = ({ mentions, denies }: Clause) =>
    mentions.some(isExecutor) && (!denies || mentions.some(isTask));
  const before = clauses.slice(0, at).findLast(speaks);
  const after = clauses.slice(at + 1).find(speaks);
  const tasksFirst = (clause: Clause | undefined) => clause?.mentions.slice(0, 1).some(isTask) === true;
  if (before !== undefined && !(tasksFirst(before) && tasksFirst(after)))
    return { ...before, mentions: before.mentions.filter(isExecutor).slice(-1) };
  return after && { ...after, mentions: after.mentions.filter(isExecutor).slice(0, 1) };
}

const isExecutor = ({ kind }: Mention) => kind === 'executor';
const isTask = ({ kind }: Mention) => kind === 'task';

/** Finds agents and tasks in a text, as words of their own. */
function mentionReader(executors: readonly string[], ids: readonly string[]): (text: string) => Mention[] {
  const known = new Map<string, Mention>([
    ...executors.map((name) => [name.toLowerCase(), { kind: 'executor', name }] as const),
    ...ids.map((name) => [name.toLowerCase(), { kind: 'task', name }] as const),
  ]);
  const longestFirst = [...known.keys()].sort((a, b) => b.length - a.length).map(literalPattern);
  const word = new RegExp(`(?<![\\w-])(?:${longestFirst.join('|')})(?![\\w-])`, 'gi');
  return (text) => [...text.matchAll(word)].flatMap(([name]) => known.get(name.toLowerCase()) ?? []);
}
