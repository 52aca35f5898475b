import { pieces, recordOf, recordsOf, serverEvent, stringOf, textOf } from './json.ts';
import type { Reply, ReplyContext, Turn, Wire } from './view.ts';

/** OpenAI Chat Completions: POST …/chat/completions; also what Ollama and LM Studio speak. */
export const chatWire: Wire = {
  name: 'chat',
  path: /\/chat\/completions$/,

  read(body) {
    return {
      turns: recordsOf(body['messages']).map((message): Turn => {
        const role = message['role'];
        const known = role === 'user' || role === 'assistant' || role === 'tool' ? role : 'system';
        return { role: known, text: textOf(message['content']) };
      }),
      tools: recordsOf(body['tools']).map((tool) => {
        const definition = recordOf(tool['function']);
        return {
          name: stringOf(definition['name']),
          schema: recordOf(definition['parameters']),
          freeForm: false,
        };
      }),
      stream: body['stream'] === true,
      model: stringOf(body['model']),
    };
  },

  whole({ text, call }, context) {
    const toolCalls = call
      ? [
          {
            id: call.id,
            type: 'function',
            function: { name: call.tool.name, arguments: JSON.stringify(call.input) },
          },
        ]
      : undefined;
    return {
      ...envelope(context, 'chat.completion'),
      choices: [
        {
          index: 0,
          finish_reason: finishReason(call),
          message: { role: 'assistant', content: text, ...(toolCalls && { tool_calls: toolCalls }) },
        },
      ],
      usage: usageOf(context),
    };
  },

  events({ text, call }, context) {
    const common = envelope(context, 'chat.completion.chunk');
    const chunk = (delta: Record<string, unknown>, finish: string | null = null) =>
      serverEvent({ ...common, choices: [{ index: 0, delta, finish_reason: finish }] });
    const parts = call ? pieces(JSON.stringify(call.input)) : [];
    return [
      chunk({ role: 'assistant', content: '' }),
      ...(text === '' ? [] : pieces(text).map((content) => chunk({ content }))),
      ...parts.map((piece, index) =>
        chunk({
          tool_calls: [
            index === 0
              ? {
                  index: 0,
                  id: call?.id,
                  type: 'function',
                  function: { name: call?.tool.name, arguments: piece },
                }
              : { index: 0, function: { arguments: piece } },
          ],
        }),
      ),
      chunk({}, finishReason(call)),
      serverEvent({ ...common, choices: [], usage: usageOf(context) }),
      'data: [DONE]\n\n',
    ];
  },

  error: ({ type, code, message }) => ({ error: { message, type, param: null, code } }),

  tooLong: {
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    message:
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 215000 tokens.",
  },
};

const finishReason = (call: Reply['call']) => (call ? 'tool_calls' : 'stop');

const envelope = ({ model, newId }: ReplyContext, object: string) => ({
  id: newId('chatcmpl'),
  object,
  created: Math.floor(Date.now() / 1000),
  model,
});

const usageOf = ({ usage }: ReplyContext) => ({
  prompt_tokens: usage.inputTokens,
  completion_tokens: usage.outputTokens,
  total_tokens: usage.inputTokens + usage.outputTokens,
  prompt_tokens_details: { cached_tokens: usage.cachedInputTokens },
});
