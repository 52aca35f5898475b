import stringWidth from 'string-width';

/** A piece of text and how it looks; the width of a line counts the text alone. */
export type StyledText = { text: string; style: (text: string) => string };

const segmenter = new Intl.Segmenter();

/** Lines of whole words, each at most `columns` wide. `\n` in a text ends a line; a word that is too wide is broken. */
export function wrapStyled(texts: readonly StyledText[], columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  const end = () => {
    lines.push(line);
    line = '';
    used = 0;
  };
  const put = (words: readonly StyledText[]) => {
    for (const { text, style } of words) line += style(text);
    used += widthOf(words);
  };
  for (const word of wordsOf(texts)) {
    if (word === 'end') {
      end();
      continue;
    }
    const width = widthOf(word);
    if (used > 0 && used + 1 + width > columns) end();
    if (used > 0) {
      line += ' ';
      used += 1;
    }
    if (width <= columns) {
      put(word);
      continue;
    }
    for (const { text, style } of word) {
      for (const { segment } of segmenter.segment(text)) {
        if (used > 0 && used + stringWidth(segment) > columns) end();
        put([{ text: segment, style }]);
      }
    }
  }
  if (used > 0 || lines.length === 0) end();
  return lines;
}

/** Pieces that stand together without a blank between them are one word. */
function* wordsOf(texts: readonly StyledText[]): Generator<StyledText[] | 'end'> {
  let word: StyledText[] = [];
  for (const { text, style } of texts) {
    for (const part of text.split(/(\s+)/)) {
      if (part === '') continue;
      if (/\S/.test(part)) {
        word.push({ text: part, style });
        continue;
      }
      if (word.length > 0) yield word;
      word = [];
      if (text === '\n') yield 'end';
    }
  }
  if (word.length > 0) yield word;
}

function widthOf(word: readonly StyledText[]): number {
  return stringWidth(word.map(({ text }) => text).join(''));
}
