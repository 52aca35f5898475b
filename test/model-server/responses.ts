import { pieces, recordOf, recordsOf, serverEvent, stringOf, textOf } from './json.ts';
import type { OfferedTool, Reply, ReplyContext, ToolCall, Turn, Wire } from './view.ts';

/** OpenAI Responses: POST …/responses. */
export const responsesWire: Wire = {
  name: 'responses',
  path: /\/responses$/,

  read(body) {
    const input = body['input'];
    return {
      turns: typeof input === 'string' ? [{ role: 'user', text: input }] : recordsOf(input).flatMap(turnOf),
      tools: recordsOf(body['tools']).flatMap(toolsOf),
      stream: body['stream'] === true,
      model: stringOf(body['model']),
    };
  },

  whole: response,

  events(reply, context) {
    const full = response(reply, context);
    let sequence = 0;
    const event = (type: string, data: Record<string, unknown>) => {
      const numbered = serverEvent({ type, ...data, sequence_number: sequence }, type);
      sequence += 1;
      return numbered;
    };
    return [
      event('response.created', {
        response: { ...full, status: 'in_progress', output: [], usage: null },
      }),
      ...full.output.flatMap((item, index) => itemEvents(item, index, event)),
      event('response.completed', { response: full }),
    ];
  },

  error: ({ type, code, message }) => ({ error: { message, type, param: null, code } }),

  tooLong: {
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  },
};

type TextPart = { type: 'output_text'; text: string; annotations: never[] };

type Item =
  | { id: string; type: 'message'; status: string; role: string; content: [TextPart] }
  | { id: string; type: 'function_call'; status: string; call_id: string; name: string; arguments: string }
  | { id: string; type: 'custom_tool_call'; status: string; call_id: string; name: string; input: string };

function response({ text, call }: Reply, { model, usage, newId }: ReplyContext) {
  const output: Item[] = [];
  if (text !== '') {
    const part: TextPart = { type: 'output_text', text, annotations: [] };
    output.push({
      id: newId('msg'),
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [part],
    });
  }
  if (call) output.push(callItem(call, newId));
  return {
    id: newId('resp'),
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    status: 'completed',
    model,
    output,
    error: null,
    incomplete_details: null,
    usage: {
      input_tokens: usage.inputTokens,
      input_tokens_details: { cached_tokens: usage.cachedInputTokens },
      output_tokens: usage.outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.inputTokens + usage.outputTokens,
    },
  };
}

function callItem({ id, tool, input }: ToolCall, newId: ReplyContext['newId']): Item {
  const common = { status: 'completed', call_id: id, name: tool.name };
  if (typeof input === 'string') return { id: newId('ctc'), type: 'custom_tool_call', ...common, input };
  const group = tool.group === undefined ? {} : { namespace: tool.group };
  return {
    id: newId('fc'),
    type: 'function_call',
    ...common,
    ...group,
    arguments: JSON.stringify(input),
  };
}

function itemEvents(
  item: Item,
  index: number,
  event: (type: string, data: Record<string, unknown>) => string,
): string[] {
  const place = { item_id: item.id, output_index: index };
  const added = (empty: Record<string, unknown>) =>
    event('response.output_item.added', {
      output_index: index,
      item: { ...item, status: 'in_progress', ...empty },
    });
  const done = () => event('response.output_item.done', { output_index: index, item });
  if (item.type === 'message') {
    const [part] = item.content;
    const inPart = { ...place, content_index: 0 };
    return [
      added({ content: [] }),
      event('response.content_part.added', { ...inPart, part: { ...part, text: '' } }),
      ...pieces(part.text).map((delta) => event('response.output_text.delta', { ...inPart, delta })),
      event('response.output_text.done', { ...inPart, text: part.text }),
      event('response.content_part.done', { ...inPart, part }),
      done(),
    ];
  }
  const [field, name, value] =
    item.type === 'function_call'
      ? (['arguments', 'function_call_arguments', item.arguments] as const)
      : (['input', 'custom_tool_call_input', item.input] as const);
  return [
    added({ [field]: '' }),
    ...pieces(value).map((delta) => event(`response.${name}.delta`, { ...place, delta })),
    event(`response.${name}.done`, { ...place, [field]: value }),
    done(),
  ];
}

function turnOf(item: Record<string, unknown>): Turn[] {
  const type = stringOf(item['type']);
  if (type.endsWith('_call_output')) return [{ role: 'tool', text: textOf(item['output']) }];
  const role = item['role'];
  if (typeof role !== 'string') return [];
  return [
    {
      role: role === 'assistant' || role === 'user' ? role : 'system',
      text: textOf(item['content']),
    },
  ];
}

function toolsOf(tool: Record<string, unknown>): OfferedTool[] {
  if (tool['type'] === 'namespace') {
    const group = stringOf(tool['name']);
    return recordsOf(tool['tools'])
      .flatMap(toolsOf)
      .map((inner) => ({ ...inner, group }));
  }
  return [
    {
      name: stringOf(tool['name'], stringOf(tool['type'])),
      schema: recordOf(tool['parameters']),
      freeForm: tool['type'] === 'custom',
    },
  ];
}
