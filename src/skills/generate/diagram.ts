import stringWidth from 'string-width';

export type Box = { title: string; lines: readonly string[]; below: string };

const widest = 76;
const boxWidth = 16;

/** S-051: one box a phase under a head box; rows wrap, long titles are folded, wide characters counted as two. */
export function drawDiagram(title: string, subtitle: string, boxes: readonly Box[]): string {
  const headWidth = Math.min(widest, Math.max(40, stringWidth(title) + 2, stringWidth(subtitle) + 2));
  const head = frame([...fold(title, headWidth - 2), ...fold(subtitle, headWidth - 2)], headWidth);
  const perRow = Math.max(1, Math.floor((widest + 2) / (boxWidth + 4)));
  const rows: string[] = [];
  for (let start = 0; start < boxes.length; start += perRow) {
    rows.push('', ...drawRow(boxes.slice(start, start + perRow)));
  }
  return [...head, ...rows].map((line) => line.trimEnd()).join('\n');
}

function drawRow(boxes: readonly Box[]): string[] {
  const contents = boxes.map(({ title, lines }) => [
    ...fold(title, boxWidth - 2),
    ...lines.flatMap((line) => fold(line, boxWidth - 2)),
  ]);
  const height = Math.max(...contents.map((lines) => lines.length));
  const framed = contents.map((lines) =>
    frame([...lines, ...Array<string>(height - lines.length).fill('')], boxWidth),
  );
  const below = boxes.map((box) => fold(box.below, boxWidth + 2).slice(0, 3));
  const belowHeight = Math.max(...below.map((lines) => lines.length));
  const join = (cells: readonly string[]) => cells.map((cell) => pad(cell, boxWidth + 2)).join('  ');
  return [
    join(boxes.map(() => center('↓', boxWidth + 2))),
    ...Array.from({ length: height + 2 }, (_, line) => join(framed.map((box) => box[line] ?? ''))),
    ...Array.from({ length: belowHeight }, (_, line) => join(below.map((lines) => lines[line] ?? ''))),
  ];
}

function frame(lines: readonly string[], width: number): string[] {
  const bar = '─'.repeat(width);
  return [`┌${bar}┐`, ...lines.map((line) => `│ ${pad(line, width - 1)}│`), `└${bar}┘`];
}

/** Breaks at blanks, and inside a word that alone is too wide. */
export function fold(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    if (line !== '' && stringWidth(`${line} ${word}`) <= width) {
      line += ` ${word}`;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const character of word) {
      if (stringWidth(line + character) > width) {
        lines.push(line);
        line = '';
      }
      line += character;
    }
  }
  return line === '' ? lines : [...lines, line];
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}

function center(text: string, width: number): string {
  return ' '.repeat(Math.max(0, Math.floor((width - stringWidth(text)) / 2))) + text;
}
