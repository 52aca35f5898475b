import type { Random } from './random.ts';

const words =
  'cache request handler value limit window store reader writer index entry session token report result check error retry queue worker schema field state record branch review plan design task test input output file path module service client server the a of to and in is for that with on as by when must can not each every new after before between without only'.split(
    ' ',
  );

export function sentence(random: Random): string {
  const text = Array.from({ length: random.whole(6, 16) }, () => random.pick(words)).join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

export function title(random: Random): string {
  return Array.from({ length: random.whole(2, 4) }, () => random.pick(words))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

/** Prose, lists, tables and code, until about that many characters are reached. */
export function filler(random: Random, characters: number): string {
  const blocks: string[] = [];
  let length = 0;
  while (length < characters) {
    const block = random.pick([paragraph, paragraph, list, code, table])(random);
    blocks.push(block);
    length += block.length + 2;
  }
  return blocks.join('\n\n');
}

function paragraph(random: Random): string {
  return Array.from({ length: random.whole(1, 4) }, () => sentence(random)).join('\n');
}

function list(random: Random): string {
  return Array.from({ length: random.whole(2, 6) }, () => `- ${sentence(random)}`).join('\n');
}

/** Headings in fences are traps for code that searches for sections. */
function code(random: Random): string {
  const lines = Array.from(
    { length: random.whole(2, 8) },
    () => `  ${random.pick(words)}(${random.pick(words)});`,
  );
  return ['```bash', `# ${title(random)}`, ...lines, '```'].join('\n');
}

function table(random: Random): string {
  const rows = Array.from(
    { length: random.whole(2, 5) },
    () => `| ${random.pick(words)} | ${sentence(random)} |`,
  );
  return ['| Name | Meaning |', '|---|---|', ...rows].join('\n');
}

export type Part = { id: string; heading: string; title: string };

/** A document of headed parts that together have about the wanted length. */
export function document(
  random: Random,
  name: string,
  characters: number,
  sections: readonly { heading: string; parts: readonly Part[] }[],
): string {
  const count = sections.reduce((sum, { parts }) => sum + Math.max(1, parts.length), 0);
  const each = Math.max(40, Math.round(characters / Math.max(1, count)) - 40);
  const body = sections.flatMap(({ heading, parts }) =>
    parts.length === 0
      ? [`## ${heading}`, filler(random, each)]
      : [`## ${heading}`, ...parts.flatMap((part) => [part.heading, filler(random, each)])],
  );
  return `${[`# ${name}`, ...body].join('\n\n')}\n`;
}
