/** Numbers from 0 up to but not including 1, the same for the same seed. */
export type Random = () => number;

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A separate seed for everything that has a name. */
export function seedOf(name: string, seed: number): number {
  let hash = seed ^ 0x811c9dc5;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619);
  return hash >>> 0;
}

const shards = [
  ...['\n', '\r\n', '\r', '\t', ' ', '\0', '\uFEFF', '\u2028', '\u202e', '\ud800', '😀', '漢', 'é', 'İ', 'ſ'],
  ...[
    '```',
    '~~~',
    '````',
    '---',
    '...',
    '<!--',
    '-->',
    '#',
    '## ',
    '### ',
    '- ',
    '1. ',
    '> ',
    '| a | b |\n|---|---|\n',
  ],
  ...[
    '**',
    '__',
    '`',
    '[',
    '](',
    ')',
    '{',
    '}',
    '"',
    "'",
    '\\',
    '\\"',
    '&lt;',
    '&amp;',
    '<',
    '>',
    '</',
    '/>',
    '<![CDATA[',
    ']]>',
  ],
  ...[
    'FINDING_1: YES',
    'OOS_1: NO',
    'DECISION_1: THESIS',
    'RECOMMEND: ANTI_THESIS',
    'NO_ISSUES_FOUND',
    '### FINDING_1: x',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '../',
    '..\\',
    '/etc/passwd',
    'file:///',
    'javascript:',
    '%00',
    '%2e%2e%2f',
  ],
  ...[
    '\u001b[31m',
    '\u001b]8;;http://x\u0007',
    '\u009b',
    '\u0007',
    '-1',
    '0',
    '1e999',
    '99999999999999999999',
    'NaN',
    '0x10',
    '1.5',
  ],
  ...[
    ': ',
    '=',
    ',',
    ';',
    '$',
    '${',
    '$(',
    '&&',
    '||',
    '!',
    '*',
    '?',
    '@',
    '%',
    '&x',
    '*x',
    '!!js/function',
    'null',
    'true',
    '[]',
    '{}',
  ],
];

const most = 8192;

/** A neighbour of a text: cut, doubled, spliced with another, or with something put in. */
export function mutate(text: string, other: string, words: readonly string[], random: Random): string {
  let changed = text;
  const times = 1 + Math.floor(random() ** 2 * 5);
  for (let time = 0; time < times; time += 1) changed = mutateOnce(changed, other, words, random);
  return changed.length > most ? changed.slice(0, most) : changed;
}

function mutateOnce(text: string, other: string, words: readonly string[], random: Random): string {
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = (list: readonly string[]) => list[below(list.length)] ?? '';
  const at = below(text.length + 1);
  const length = random() < 0.5 ? 1 + below(8) : below(Math.max(1, text.length - at));
  const put = (piece: string, over = 0) => text.slice(0, at) + piece + text.slice(at + over);
  switch (below(12)) {
    case 0:
      return put('', length);
    case 1:
      return put(text.slice(at, at + length).repeat(1 + below(3)));
    case 2:
      return put(pick(shards));
    case 3:
      return put(pick(shards), length);
    case 4:
    case 5:
      return put(words.length > 0 ? pick(words) : pick(shards), random() < 0.5 ? 0 : length);
    case 6: {
      const from = below(other.length + 1);
      return put(other.slice(from, from + 1 + below(400)), random() < 0.5 ? 0 : length);
    }
    case 7:
      return put(String.fromCharCode(below(random() < 0.8 ? 128 : 65_536)), 1);
    case 8:
      return mutateLines(text, random);
    case 9: {
      const piece = text.slice(at, at + 1 + below(20));
      return put(piece.repeat(2 + below(60)));
    }
    case 10:
      return text.slice(0, at) + text.slice(at, at + length).toUpperCase() + text.slice(at + length);
    default:
      return text.replace(/\d+/, () =>
        pick(['0', '-1', '1', '2', '10', '999999', '1e308', '4294967296', '007']),
      );
  }
}

function mutateLines(text: string, random: Random): string {
  const lines = text.split('\n');
  const [one, two] = [Math.floor(random() * lines.length), Math.floor(random() * lines.length)];
  const line = lines[one] ?? '';
  const way = random();
  if (way < 0.3) lines.splice(one, 1);
  else if (way < 0.6) lines.splice(two, 0, line);
  else if (way < 0.8) lines[one] = `  ${line}`;
  else {
    lines[one] = lines[two] ?? '';
    lines[two] = line;
  }
  return lines.join('\n');
}
