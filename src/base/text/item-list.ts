import { indentRest, toLines } from './labelled-block.ts';

/** A markdown list whose items may have several lines; `readItems` gives back what was put in. */
export function renderItems(items: readonly string[]): string {
  return items.map((item) => `- ${indentRest(item)}`).join('\n');
}

/** Reads a bulleted or numbered list; text before the first item is dropped, unindented lines continue the item. */
export function readItems(text: string): string[] {
  const items: string[][] = [];
  for (const line of toLines(text)) {
    const start = /^(?:[-*+]|\d{1,3}[.)]) (.*)$/.exec(line)?.[1];
    if (start !== undefined) items.push([start]);
    else items.at(-1)?.push(line.startsWith('  ') ? line.slice(2) : line);
  }
  return items.map((lines) => lines.join('\n').trim());
}
