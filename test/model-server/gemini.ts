import { pieces, recordOf, recordsOf, serverEvent, stringOf, textOf } from './json.ts';
import type { Reply, ReplyContext, Turn, Wire } from './view.ts';

/** Gemini: POST …/models/NAME:generateContent and :streamGenerateContent. */
export const geminiWire: Wire = {
  name: 'gemini',
  path: /:(generateContent|streamGenerateContent)$/,

  read(body, path) {
    return {
      turns: recordsOf(body['contents']).flatMap(turnsOf),
      tools: recordsOf(body['tools'])
        .flatMap((tool) => recordsOf(tool['functionDeclarations']))
        .map((declaration) => ({
          name: stringOf(declaration['name']),
          schema: recordOf(declaration['parametersJsonSchema'] ?? declaration['parameters']),
          freeForm: false,
        })),
      stream: path.endsWith(':streamGenerateContent'),
      model: /models\/([^:/]+):/.exec(path)?.[1] ?? '',
    };
  },

  whole: (reply, context) => candidate(partsOf(reply), context, true),

  events(reply, context) {
    const texts = pieces(reply.text).map((text) => [{ text }]);
    const last = partsOf({ ...reply, text: '' });
    return [...texts, last].map((parts, index) =>
      serverEvent(candidate(parts, context, index === texts.length)),
    );
  },

  error: ({ status, type, message }) => ({ error: { code: status, message, status: type } }),

  tooLong: {
    status: 400,
    type: 'INVALID_ARGUMENT',
    code: '',
    message: 'The input token count (1248576) exceeds the maximum number of tokens allowed (1048576).',
  },
};

type Part = Record<string, unknown>;

function partsOf({ text, call }: Reply): Part[] {
  return [
    ...(text === '' ? [] : [{ text }]),
    ...(call ? [{ functionCall: { id: call.id, name: call.tool.name, args: call.input } }] : []),
  ];
}

function candidate(parts: Part[], { model, usage, newId }: ReplyContext, last: boolean) {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(last ? { finishReason: 'STOP' } : {}) }],
    modelVersion: model,
    responseId: newId('resp'),
    usageMetadata: {
      promptTokenCount: usage.inputTokens,
      cachedContentTokenCount: usage.cachedInputTokens,
      candidatesTokenCount: usage.outputTokens,
      totalTokenCount: usage.inputTokens + usage.outputTokens,
    },
  };
}

function turnsOf(content: Record<string, unknown>): Turn[] {
  const role = content['role'] === 'model' ? 'assistant' : 'user';
  return recordsOf(content['parts']).flatMap((part): Turn[] => {
    if ('functionResponse' in part) {
      const response = recordOf(recordOf(part['functionResponse'])['response']);
      return [{ role: 'tool', text: textOf(response['output'] ?? response) }];
    }
    if (typeof part['text'] === 'string' && part['thought'] !== true) return [{ role, text: part['text'] }];
    return [];
  });
}
