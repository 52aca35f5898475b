/** P-010: what a person prefers for this run. */
export type Preferences = { autoYes: boolean; forceExplore: boolean };

export type LiteArguments = { text: string; flags: { autoYes: boolean; forceExplore: boolean } };

const yesFlags = ['-y', '--yes'];
const exploreFlags = ['-e', '--explore', '--force-explore'];

type Token = { text: string; quoted: boolean; from: number; to: number };

/**
 * P-011, T-01: reads flags from the raw argument text of a skill. Only whole, unquoted tokens at the beginning or the end
 * count, and none after `--`; the text between them is given back as it was.
 */
export function readArguments(raw: string): LiteArguments {
  const tokens = tokenise(raw);
  const stop = tokens.findIndex(({ text, quoted }) => text === '--' && !quoted);
  const open = stop < 0 ? tokens : tokens.slice(0, stop);
  const leading = countWhile(open, isFlag);
  const trailing = stop < 0 ? countWhile(open.slice(leading).reverse(), isFlag) : 0;
  const taken = [...open.slice(0, leading), ...open.slice(open.length - trailing)];
  const kept = open.slice(leading, open.length - trailing);
  const first = kept[0];
  const last = stop < 0 ? kept.at(-1) : tokens.at(-1);
  const text =
    first === undefined
      ? raw.slice(stop < 0 ? raw.length : (tokens[stop]?.to ?? raw.length))
      : raw.slice(first.from, last?.to);
  return {
    text: (stop >= 0 && first !== undefined ? text.replace(/(^|\s)--\s+/, '$1') : text).trim(),
    flags: flagsOf(taken.map((token) => token.text)),
  };
}

/** The same for words that a shell has already split: a word with blanks in it was quoted. */
export function readWords(words: readonly string[]): LiteArguments {
  const tokens = words.map((text) => ({ text, quoted: /\s/.test(text), from: 0, to: 0 }));
  const leading = countWhile(tokens, isFlag);
  const trailing = countWhile(tokens.slice(leading).reverse(), isFlag);
  const kept = tokens.slice(leading, tokens.length - trailing);
  const taken = [...tokens.slice(0, leading), ...tokens.slice(tokens.length - trailing)];
  return {
    text: kept
      .map(({ text }) => text)
      .join(' ')
      .trim(),
    flags: flagsOf(taken.map(({ text }) => text)),
  };
}

/** P-001, P-002: which half a trigger name asks for; an unknown name plans. */
export function modeOf(trigger: string): 'plan' | 'execute' {
  const name = trigger.trim().toLowerCase().replaceAll(':', '-');
  return name === 'workflow-lite-execute' || name === 'lite-execute' ? 'execute' : 'plan';
}

export type TriggerClaim = {
  directory: string;
  name: string;
  triggers: readonly string[];
  priority?: number;
};

/** P-003: who answers a trigger that several packages claim, and what to say about it. */
export function resolveTrigger(
  trigger: string,
  claims: readonly TriggerClaim[],
): { claim: TriggerClaim | undefined; warning?: string } {
  const wanted = trigger.replaceAll(':', '-');
  const own = (claim: TriggerClaim) => claim.name === wanted || wanted.startsWith(`${claim.name}-`);
  const claiming = claims.filter(
    (claim) => claim.name === wanted || claim.triggers.some((each) => each.replaceAll(':', '-') === wanted),
  );
  const [claim, ...others] = claiming.toSorted(
    (a, b) =>
      Number(own(b)) - Number(own(a)) ||
      (b.priority ?? 0) - (a.priority ?? 0) ||
      (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
  if (others.length === 0) return { claim };
  return {
    claim,
    warning: `${trigger} is claimed by ${claiming.map(({ name }) => name).join(', ')}; ${claim?.name} answers.`,
  };
}

function tokenise(raw: string): Token[] {
  const pattern = /(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']|["'])+/g;
  return [...raw.matchAll(pattern)].map((match) => ({
    text: match[0],
    quoted: /["']/.test(match[0]),
    from: match.index,
    to: match.index + match[0].length,
  }));
}

function isFlag({ text, quoted }: Token): boolean {
  return !quoted && [...yesFlags, ...exploreFlags].includes(text);
}

function flagsOf(taken: readonly string[]): LiteArguments['flags'] {
  return {
    autoYes: taken.some((text) => yesFlags.includes(text)),
    // P-012: both may be given together.
    forceExplore: taken.some((text) => exploreFlags.includes(text)),
  };
}

function countWhile<Item>(items: readonly Item[], test: (item: Item) => boolean): number {
  const stop = items.findIndex((item) => !test(item));
  return stop < 0 ? items.length : stop;
}
