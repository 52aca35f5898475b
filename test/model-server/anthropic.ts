import { pieces, recordOf, recordsOf, serverEvent, stringOf, textOf } from './json.ts';
import type { OfferedTool, Reply, ReplyContext, Turn, Wire } from './view.ts';

/** Anthropic Messages: POST …/v1/messages. */
export const anthropicWire: Wire = {
  name: 'anthropic',
  path: /\/messages$/,

  read(body) {
    return {
      turns: recordsOf(body['messages']).flatMap(turnsOf),
      tools: recordsOf(body['tools']).map(toolOf),
      stream: body['stream'] === true,
      model: stringOf(body['model']),
    };
  },

  whole: message,

  events(reply, context) {
    const full = message(reply, context);
    const event = (data: { type: string; [key: string]: unknown }) => serverEvent(data, data.type);
    const opening = { ...full, content: [], stop_reason: null, usage: { ...full.usage, output_tokens: 1 } };
    return [
      event({ type: 'message_start', message: opening }),
      ...full.content.flatMap((block, index) => {
        const isText = block.type === 'text';
        const parts = pieces(isText ? block.text : JSON.stringify(block.input));
        const start = isText ? { type: 'text', text: '' } : { ...block, input: {} };
        return [
          event({ type: 'content_block_start', index, content_block: start }),
          ...parts.map((piece) => {
            const delta = isText
              ? { type: 'text_delta', text: piece }
              : { type: 'input_json_delta', partial_json: piece };
            return event({ type: 'content_block_delta', index, delta });
          }),
          event({ type: 'content_block_stop', index }),
        ];
      }),
      event({
        type: 'message_delta',
        delta: { stop_reason: full.stop_reason, stop_sequence: null },
        usage: full.usage,
      }),
      event({ type: 'message_stop' }),
    ];
  },

  error: ({ type, message }) => ({ type: 'error', error: { type, message }, request_id: 'req_scripted' }),

  tooLong: {
    status: 400,
    type: 'invalid_request_error',
    code: '',
    message: 'prompt is too long: 215000 tokens > 200000 maximum',
  },
};

type Block = { type: 'text'; text: string } | { type: 'tool_use'; id: string; name: string; input: unknown };

function message({ text, call }: Reply, { model, usage, newId }: ReplyContext) {
  const content: Block[] = [];
  if (text !== '') content.push({ type: 'text', text });
  if (call)
    content.push({ type: 'tool_use', id: `toolu_${call.id}`, name: call.tool.name, input: call.input });
  return {
    id: newId('msg'),
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: call ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: usage.inputTokens - usage.cachedInputTokens,
      cache_read_input_tokens: usage.cachedInputTokens,
      cache_creation_input_tokens: 0,
      output_tokens: usage.outputTokens,
    },
  };
}

function turnsOf(entry: Record<string, unknown>): Turn[] {
  const role = entry['role'] === 'assistant' ? 'assistant' : 'user';
  if (typeof entry['content'] === 'string') return [{ role, text: entry['content'] }];
  return recordsOf(entry['content']).flatMap((part): Turn[] => {
    if (part['type'] === 'tool_result') return [{ role: 'tool', text: textOf(part['content']) }];
    if (part['type'] === 'text') return [{ role, text: stringOf(part['text']) }];
    return [];
  });
}

function toolOf(tool: Record<string, unknown>): OfferedTool {
  return { name: stringOf(tool['name']), schema: recordOf(tool['input_schema']), freeForm: false };
}
