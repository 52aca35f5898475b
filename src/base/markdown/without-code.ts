import { codeSpans, lineText } from './document.ts';
import { readStrictly } from './lines.ts';

/** A text without its closed fences and code spans. An unclosed fence and an unclosed span stay. */
export function withoutCode(text: string): string {
  const document = readStrictly(text);
  const fences = document.fences.filter(({ closed }) => closed);
  const kept: string[] = [];
  let next = 0;
  for (let line = 0; line < document.lineStarts.length; line += 1) {
    const fence = fences[next];
    if (fence === undefined || line < fence.openLine) kept.push(withoutSpans(lineText(document, line)));
    else if (line === fence.closeLine) next += 1;
  }
  return kept.join('\n');
}

function withoutSpans(line: string): string {
  let result = '';
  let end = 0;
  for (const { from, to } of codeSpans(line)) {
    result += `${line.slice(end, from)} `;
    end = to;
  }
  return result + line.slice(end);
}
