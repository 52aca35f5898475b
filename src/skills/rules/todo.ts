import { type Document, lineAt } from '../../base/markdown/document.ts';
import { readJson } from '../../base/safe-json.ts';
import { trimEndChars } from '../../base/text/strings.ts';
import { isTeaching } from '../lint/occurrences.ts';
import { at, type Draft, type Rule } from '../lint/rule.ts';
import { closingBracket, findCalls } from '../model/calls.ts';

const legal = new Set(['pending', 'in_progress', 'completed', 'failed', 'skipped', 'cancelled', '$computed']);
const placeholder = /\.\.\.|…|\$\{|\{\{|<[a-z_ |-]+>|\/\/|\/\*|^[ \t]*#/im;

export const todoRules: readonly Rule[] = [
  {
    id: 'TD001',
    severity: 'error',
    in: { single: 'off' },
    fence: 'fences',
    summary: 'A todo update keeps the phase items.',
    why: 'A todo write replaces the whole list; without its phases nothing says which one is active, and protection ends.',
    hint: 'Write the phase items too and attach sub-items under the active one.',
    bad: 'TodoWrite({todos: batches}) dropping phases',
    check: ({ documents, phases }) => {
      if (phases.length < 2) return [];
      return documents.flatMap((document) =>
        readTodoSamples(document).flatMap(({ line, call, items, expression, spreads }): Draft[] => {
          if (!call || spreads || isTeaching(document, line)) return [];
          if (expression !== undefined) {
            const keeps =
              /phase|\ball\b|allTodos|todos|existing|previous|\[\s*\.\.\./i.test(expression) ||
              expression === '' ||
              /…|\.\.\./.test(expression);
            return keeps
              ? []
              : [
                  at(
                    document,
                    line,
                    `The todo list becomes ${expression.slice(0, 40).replace(/\s+/g, ' ')} and loses its phases.`,
                  ),
                ];
          }
          if (
            items.length === 0 ||
            items.some(isPhaseItem) ||
            items.some(({ content }) => /phase/i.test(content ?? ''))
          )
            return [];
          return items.every(({ content }) => content === '$computed')
            ? []
            : [at(document, line, 'The todo list has no phase item.')];
        }),
      );
    },
  },
  {
    id: 'TD002',
    severity: 'error',
    fence: 'fences',
    summary: 'A todo item has content and a legal status.',
    why: 'The host refuses the whole list.',
    hint: 'Give every item content and pending, in_progress or completed.',
    bad: '{status: "…"}',
    check: ({ documents }) =>
      documents.flatMap((document) =>
        readTodoSamples(document)
          .filter(({ call }) => call)
          .flatMap(({ items }) =>
            items.flatMap(({ content, status, line }): Draft[] => {
              if (isTeaching(document, line)) return [];
              if (status === undefined && content === undefined) return [];
              if (content === undefined) return [at(document, line, 'A todo item has no content.')];
              if (status !== undefined && !legal.has(status) && !status.includes('|')) {
                return [at(document, line, `A todo item has the status "${status.slice(0, 30)}".`)];
              }
              return [];
            }),
          ),
      ),
  },
  {
    id: 'TD003',
    severity: 'warning',
    fence: 'fences',
    summary: 'At most one phase is in progress in each example.',
    why: 'The active phase is what survives compaction; two active ones mean none is.',
    hint: 'Let one phase be in_progress; its sub-items may be too.',
    bad: 'two phases in_progress in a JSON sample',
    check: ({ documents }) =>
      documents.flatMap((document) =>
        readTodoSamples(document).flatMap(({ items, line }): Draft[] => {
          const active = items.filter((item) => item.status === 'in_progress' && isPhaseItem(item));
          return active.length > 1 && !isTeaching(document, line)
            ? [at(document, line, `${active.length} phases are in progress at once.`)]
            : [];
        }),
      ),
  },
  {
    id: 'TD004',
    severity: 'warning',
    in: { single: 'info' },
    fence: 'fences',
    summary: 'JSON samples parse.',
    why: 'Models copy samples as they are, with the trailing comma.',
    hint: 'Make the sample valid JSON, or mark the fence as jsonc or text.',
    bad: 'a trailing comma before ]',
    check: ({ documents }) =>
      documents.flatMap((document) =>
        document.fences
          .filter(({ language }) => language === 'json')
          .flatMap(({ start, end }): Draft[] => {
            const code = document.text.slice(start, end);
            if (code.length > 200_000 || code.trim() === '' || placeholder.test(code)) return [];
            const reading = readJson(code.replace(/^[ \t]*>[ \t]?/gm, ''));
            if (reading.ok) return [];
            return [
              at(
                document,
                lineAt(document, start),
                `The JSON sample does not parse: ${reading.message.slice(0, 120)}.`,
              ),
            ];
          }),
      ),
  },
];

type TodoItem = { content: string | undefined; status: string | undefined; line: number };

type TodoSample = {
  line: number;
  /** From a `TodoWrite(…)` call, or a bare list in a fence. */
  call: boolean;
  items: readonly TodoItem[];
  /** `todos: batches`, `todos: calls.map(…)`: the expression, unless it is a literal list. */
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
      const expression = trimEndChars(call.body.slice(valueStart), ' \t\r\n})').trim();
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
function isPhaseItem({ content: text }: TodoItem): boolean {
  return text !== undefined && /^\p{Emoji_Presentation}?\s?phase\s*\d/iu.test(text);
}
