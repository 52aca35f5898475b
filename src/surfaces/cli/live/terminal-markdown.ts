import type { BlockContent, DefinitionContent, List, PhrasingContent, RootContent, Table } from 'mdast';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import stringWidth from 'string-width';
import { readMarkdown } from '../../../base/markdown/tree.ts';
import { untrustedText } from '../../../base/text/strings.ts';
import { cell } from './fit.ts';
import type { Colors } from './marks.ts';

export type Page = { columns: number; colors: Colors };

type Block = RootContent | BlockContent | DefinitionContent;

/** Longer lines are hard to read, however wide the terminal is. */
const widestText = 100;

/** Markdown of an agent as lines for a terminal. Nothing in it can steer the terminal or hide where a link leads. */
export function terminalMarkdown(markdown: string, { columns, colors }: Page): string {
  const text = untrustedText(markdown);
  const tree = readMarkdown(text, {
    extensions: [gfm()],
    mdastExtensions: [gfmFromMarkdown()],
  });
  const page = { columns: Math.max(20, Math.min(columns - 1, widestText)), colors };
  // A text this long is for a pager; it is not formatted.
  if (tree === undefined) return `${text.trimEnd()}\n`;
  return `${blocks(tree.children, page).join('\n')}\n`;
}

function blocks(nodes: readonly Block[], page: Page, tight = false): string[] {
  return nodes.flatMap((node, index) => {
    const lines = block(node, page);
    return index === 0 || tight || lines.length === 0 ? lines : ['', ...lines];
  });
}

function block(node: Block, page: Page): string[] {
  const { colors, columns } = page;
  switch (node.type) {
    case 'heading': {
      const style = node.depth <= 2 ? (text: string) => colors.bold(colors.cyan(text)) : colors.bold;
      return wrapStyled(inline(node.children, colors, style), columns);
    }
    case 'paragraph':
      return wrapStyled(inline(node.children, colors), columns);
    case 'list':
      return list(node, page);
    case 'code':
      return node.value.split('\n').map((line) => colors.dim(`    ${line}`));
    case 'blockquote':
      return indented(blocks(node.children, narrower(page, 2)), colors.dim('│ '), colors.dim('│ '));
    case 'table':
      return table(node, page);
    case 'thematicBreak':
      return [colors.dim('─'.repeat(Math.min(columns, 40)))];
    case 'html':
      return node.value.startsWith('<!--') ? [] : node.value.split('\n').map((line) => colors.dim(line));
    case 'footnoteDefinition':
      return indented(blocks(node.children, narrower(page, 4)), `[${node.identifier}] `, '    ');
    default:
      return [];
  }
}

function list(node: List, page: Page): string[] {
  const items = node.children.map((item, index) => {
    const number = node.ordered === true ? `${(node.start ?? 1) + index}. ` : '• ';
    const box = item.checked == null ? '' : item.checked ? '[x] ' : '[ ] ';
    const lead = `${number}${box}`;
    const rest = ' '.repeat(stringWidth(lead));
    const lines = blocks(item.children, narrower(page, lead.length), item.spread !== true);
    return indented(lines.length === 0 ? [''] : lines, page.colors.dim(lead), rest);
  });
  return items.flatMap((lines, index) => (node.spread === true && index > 0 ? ['', ...lines] : lines));
}

/** Columns as wide as their widest cell; a table that does not fit is written row by row. */
function table({ children: rows }: Table, { columns, colors }: Page): string[] {
  const cells = rows.map((row) => row.children.map(({ children }) => plain(inline(children, colors))));
  const [head = [], ...body] = cells;
  const widths = head.map((_, index) => Math.max(...cells.map((row) => stringWidth(row[index] ?? ''))));
  if (widths.reduce((sum, width) => sum + width + 2, 0) <= columns) {
    const line = (row: readonly string[]) =>
      widths
        .map((width, index) => cell(row[index] ?? '', width))
        .join('  ')
        .trimEnd();
    return [
      colors.bold(line(head)),
      colors.dim(widths.map((width) => '─'.repeat(width)).join('  ')),
      ...body.map(line),
    ];
  }
  return body.flatMap((row) =>
    row
      .flatMap((text, index) => {
        const name = head[index] ?? '';
        return text === '' ? [] : [name === '' ? text : `${name}: ${text}`];
      })
      .flatMap((text, index) =>
        indented(wrapStyled([{ text, style: same }], columns - 2), index === 0 ? '• ' : '  ', '  '),
      ),
  );
}

function inline(
  nodes: readonly PhrasingContent[],
  colors: Colors,
  style: (text: string) => string = same,
): StyledText[] {
  return nodes.flatMap((node, index): StyledText[] => {
    const within = (more: (text: string) => string) => (text: string) => style(more(text));
    switch (node.type) {
      case 'text':
        return endsBeforeLabel(node.value, nodes[index + 1])
          ? [{ text: node.value.trimEnd(), style }, lineEnd]
          : [{ text: node.value, style }];
      case 'inlineCode':
        return [{ text: node.value, style: within(colors.yellow) }];
      case 'strong':
        return inline(node.children, colors, within(colors.bold));
      case 'emphasis':
        return inline(node.children, colors, within(colors.italic));
      case 'delete':
        return inline(node.children, colors, within(colors.strikethrough));
      case 'link': {
        const shown = inline(node.children, colors, within(colors.underline));
        return plain(shown) === node.url
          ? shown
          : [...shown, { text: ` (${node.url})`, style: within(colors.dim) }];
      }
      case 'image':
        return [{ text: `[${node.alt ?? 'image'}] (${node.url})`, style: within(colors.dim) }];
      case 'break':
        return [{ text: '\n', style }];
      case 'html':
        return [{ text: node.value, style: within(colors.dim) }];
      case 'footnoteReference':
        return [{ text: `[${node.identifier}]`, style: within(colors.dim) }];
      case 'linkReference':
        return inline(node.children, colors, style);
      default:
        return [];
    }
  });
}

const lineEnd: StyledText = { text: '\n', style: same };

/** A line that begins with a label in bold stays a separate line: our own formats list fields that way. */
function endsBeforeLabel(text: string, next: PhrasingContent | undefined): boolean {
  return next?.type === 'strong' && /\n\s*$/.test(text);
}

function plain(texts: readonly StyledText[]): string {
  return texts
    .map(({ text }) => text)
    .join('')
    .replace(/\s+/g, ' ');
}

function narrower(page: Page, by: number): Page {
  return { ...page, columns: Math.max(10, page.columns - by) };
}

function indented(lines: readonly string[], first: string, rest: string): string[] {
  return lines.map((line, index) => `${index === 0 ? first : rest}${line}`.trimEnd());
}

function same(text: string): string {
  return text;
}

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

/** Pieces without a blank between them are one word. */
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
