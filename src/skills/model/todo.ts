import { withoutLast } from '../../base/text/strings.ts';
import { closingBracket, findCalls } from '../document/calls.ts';
import { type Document, lineAt } from '../document/document.ts';

export type TodoItem = { content: string | undefined; status: string | undefined; line: number };

export type TodoSample = {
  line: number;
  /** From a `TodoWrite(…)` call, or a bare list in a fence. */
  call: boolean;
  items: readonly TodoItem[];
  /** `todos: batches`, `todos: calls.map(…)`: the expression, when it is no literal list. */
  expression: string | undefined;
  /** The literal list carries earlier items along (`...todos`). */
  spreads: boolean;
};

const content =
  /["']?(?:content|subject|task|text)["']?\s*:\s*(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`([^`]*)`|([A-Za-z_$(]))/;
const status = /["']?status["']?\s*:\s*(?:"([^"\n]*)"|'([^'\n]*)'|([A-Za-z_$(]))/;

/** Todo lists written in a file: `TodoWrite` calls everywhere and JSON lists in fences. */
export function readTodoSamples(document: Document): TodoSample[] {
  const samples: TodoSample[] = [];
  const seen: [number, number][] = [];
  for (const call of findCalls(document.text, ['TodoWrite'])) {
    seen.push([call.start, call.bodyEnd]);
    const todos = /["']?todos["']?\s*:\s*/.exec(call.body);
    if (todos === null) continue;
    const valueStart = todos.index + todos[0].length;
    const line = lineAt(document, call.start);
    if (call.body[valueStart] !== '[') {
      const expression = withoutLast(call.body.slice(valueStart), ' \t\r\n})').trim();
      samples.push({ line, call: true, items: [], expression, spreads: expression.includes('...') });
      continue;
    }
    const end = closingBracket(call.body, valueStart + 1, '[', ']') ?? call.body.length;
    const list = call.body.slice(valueStart + 1, end);
    samples.push({
      line,
      call: true,
      items: readItems(document, list, call.bodyStart + valueStart + 1),
      expression: undefined,
      spreads: /\.\.\.\s*[A-Za-z_$]/.test(list),
    });
  }
  for (const { start, end } of document.fences) {
    const code = document.text.slice(start, end);
    if (!code.trimStart().startsWith('[') || !code.includes('"status"') || !code.includes('"content"'))
      continue;
    if (seen.some(([from, to]) => from < end && to > start)) continue;
    const open = start + code.indexOf('[') + 1;
    samples.push({
      line: lineAt(document, start),
      call: false,
      items: readItems(document, document.text.slice(open, end), open),
      expression: undefined,
      spreads: false,
    });
  }
  return samples;
}

function readItems(document: Document, list: string, offset: number): TodoItem[] {
  const items: TodoItem[] = [];
  for (let open = list.indexOf('{'); open >= 0; ) {
    const close = closingBracket(list, open + 1, '{', '}') ?? list.length;
    const body = list.slice(open + 1, close);
    if (!body.includes('...') || status.test(body)) {
      const [what, state] = [content.exec(body), status.exec(body)];
      items.push({
        content: what?.[1] ?? what?.[2] ?? what?.[3] ?? (what?.[4] === undefined ? undefined : '$computed'),
        status: state?.[1] ?? state?.[2] ?? (state?.[3] === undefined ? undefined : '$computed'),
        line: lineAt(document, offset + open),
      });
    }
    open = list.indexOf('{', close + 1);
  }
  return items;
}

/** A top-level phase item: starts with "Phase N", no arrow or indentation before it. */
export function isPhaseItem({ content: text }: TodoItem): boolean {
  return text !== undefined && /^\p{Emoji_Presentation}?\s?phase\s*\d/iu.test(text);
}
