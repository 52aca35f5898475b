import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { attemptIn, repairOf } from '../../council/call/once.ts';

/** Ends the name of an attempt; before it comes the name of its call. */
const attemptEnding = /-\d+$/;

/**
 * The finished calls of the run that `--from-run` names. A call is known by what it asks, wherever it is in the file now: the n-th
 * call that asks the same gets the n-th such answer (W-109).
 */
export class EarlierCalls {
  readonly #lanes: readonly string[];
  /** With `--prefix`: the digests in the order in which the calls began (W-032). */
  readonly #order: (string | undefined)[] | undefined;
  readonly #finished: Map<string, string[]>;
  #begun = 0;
  #isOver = false;

  constructor(lanes: readonly string[] | undefined, { prefix }: { prefix: boolean }) {
    this.#lanes = lanes ?? [];
    const digests = new Map(this.#lanes.toReversed().flatMap(finishedIn));
    this.#finished = Map.groupBy([...digests.keys()], (call) => digests.get(call) ?? '');
    this.#order = prefix ? begunIn(this.#lanes).map((call) => digests.get(call)) : undefined;
  }

  /**
   * The call whose answer serves; undefined: it has to be made. What a writer left in files is not in the files of this run, so
   * nothing is reused from the first one on.
   */
  take(digest: string, access: 'read' | 'write'): string | undefined {
    const expected = this.#order?.[this.#begun];
    this.#begun += 1;
    this.#isOver ||= access === 'write' || (this.#order !== undefined && expected !== digest);
    return this.#isOver ? undefined : this.#finished.get(digest)?.shift();
  }
}

/** Calls with a good answer, by name, with the digest of what they asked. */
function finishedIn(lanes: string): [call: string, digest: string][] {
  const found = namesIn(lanes).flatMap((name): [string, string][] => {
    const attempt = attemptEnding.test(name) ? attemptIn(path.join(lanes, name)) : undefined;
    if (attempt === undefined) return [];
    const isRepaired = () => attemptIn(repairOf(path.join(lanes, name)))?.result.kind === 'ok';
    const { kind } = attempt.result;
    const isGood = kind === 'ok' || (kind === 'bad_output' && isRepaired());
    return isGood ? [[name.replace(attemptEnding, ''), attempt.digest]] : [];
  });
  return found.sort(([one], [other]) => one.localeCompare(other, 'en', { numeric: true }));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The calls of a run as its log says they began. */
function begunIn([lanes]: readonly string[]): string[] {
  if (lanes === undefined) return [];
  const log = readFileSync(path.join(path.dirname(lanes), 'events.jsonl'), 'utf8');
  return log.split('\n').flatMap((line) => {
    const reading = line.includes('"lane-queue"') ? readJson(line) : undefined;
    const event = reading?.ok === true && isRecord(reading.value) ? reading.value : {};
    return event['type'] === 'lane-queue' ? String(event['lane']) : [];
  });
}
