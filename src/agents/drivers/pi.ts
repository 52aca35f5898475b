import type { BuildRequest, Driver, Launch, Signal } from './driver.ts';
import { keyNameFor, providerKeys } from './driver.ts';
import {
  detailOf,
  type Fields,
  fieldsOf,
  listOf,
  measured,
  numberOf,
  objectOn,
  optionalText,
  textOf,
} from './reading.ts';

/** pi. It always ends with 0; the messages tell how it went. */
export const pi: Driver = {
  title: 'pi',
  family: 'pi',
  programs: ['pi'],
  natives: [],
  versionArguments: ['--version'],
  capabilities: {
    write: true,
    schema: false,
    resume: true,
    fork: true,
    usage: true,
    trust: 'terminal-event',
  },
  login: {
    files: [{ path: '.pi/agent/auth.json', renewed: true }, { path: '.pi/agent/models.json' }],
    variables: [...providerKeys],
  },
  build,
  parse,
};

function build({ program, task, settings, resume, variables }: BuildRequest): Launch {
  const own = settings.baseUrl === undefined ? undefined : 'charrette';
  const model = settings.model ?? (own === undefined ? undefined : 'default');
  return {
    argv: [
      ...program,
      ...['-p', '--mode', 'json'],
      ...(own === undefined ? [] : ['--provider', own]),
      ...(model === undefined ? [] : ['--model', model]),
      ...(settings.effort === undefined ? [] : ['--thinking', settings.effort]),
      ...(task.access === 'read' ? ['--tools', 'read,grep,find,ls'] : []),
      ...(resume === undefined ? [] : [resume.fork ? '--fork' : '--session', resume.session]),
    ],
    environment: { PI_OFFLINE: '1' },
    files: {
      // Retries are ours to make.
      '.pi/agent/settings.json': JSON.stringify({ retry: { enabled: false, provider: { maxRetries: 0 } } }),
      ...(settings.baseUrl === undefined
        ? {}
        : {
            '.pi/agent/models.json': JSON.stringify(
              ownModels(settings.baseUrl, model ?? 'default', variables),
            ),
          }),
    },
    stdin: task.prompt,
  };
}

/** An endpoint that ends with a version is OpenAI's kind; a bare one is Anthropic's. */
function ownModels(baseUrl: string, id: string, variables: BuildRequest['variables']) {
  return {
    providers: {
      charrette: {
        baseUrl,
        api: /\/v\d+\/?$/.test(baseUrl) ? 'openai-completions' : 'anthropic-messages',
        apiKey: keyNameFor(variables, providerKeys) ?? 'none',
        models: [
          {
            id,
            name: id,
            contextWindow: 200_000,
            maxTokens: 8000,
            input: ['text'],
            reasoning: false,
            cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
          },
        ],
      },
    },
  };
}

function parse(line: string): Signal[] {
  const event = objectOn(line);
  if (event === undefined) return [];
  switch (event['type']) {
    case 'session':
      return [{ type: 'session', id: textOf(event['id']) }];
    case 'message_end':
      return message(fieldsOf(event['message']));
    case 'tool_execution_start':
      return [
        {
          type: 'tool-start',
          tool: textOf(event['toolName']),
          call: optionalText(event['toolCallId']),
          detail: detailOf(event['args']),
        },
      ];
    case 'tool_execution_end':
      return [{ type: 'tool-end', tool: optionalText(event['toolName']), failed: event['isError'] === true }];
    case 'auto_retry_start':
      return [{ type: 'retry', reason: textOf(event['errorMessage']) }];
    case 'auto_retry_end':
      return event['success'] === false
        ? [
            {
              type: 'failure',
              message: optionalText(event['finalError']) ?? 'All retries failed.',
              vague: true,
            },
          ]
        : [];
    default:
      return [];
  }
}

function message(fields: Fields): Signal[] {
  if (fields['role'] !== 'assistant') return [];
  const session: Signal = { type: 'session', id: '', model: optionalText(fields['model']) };
  const shared = [session, ...usage(fieldsOf(fields['usage']))];
  if (fields['stopReason'] === 'error' || fields['stopReason'] === 'aborted') {
    const words = optionalText(fields['errorMessage']) ?? 'The model call failed.';
    return [...shared, { type: 'failure', message: words, passing: true }];
  }
  const text = listOf(fields['content'])
    .filter((part) => part['type'] === 'text')
    .map((part) => textOf(part['text']))
    .join('');
  const answer: Signal = { type: 'text', text, whole: true };
  if (fields['stopReason'] === 'length') {
    return [...shared, answer, { type: 'failure', kind: 'limit', message: 'The answer was cut off.' }];
  }
  // The last message that stops is the answer; a message that asks for tools is not.
  return fields['stopReason'] === 'stop' ? [...shared, answer, { type: 'success' }] : [...shared, answer];
}

function usage(counts: Fields): Signal[] {
  const [read, written] = [numberOf(counts['cacheRead']), numberOf(counts['cacheWrite'])];
  return [
    {
      type: 'usage',
      scope: 'add',
      usage: measured({
        input: numberOf(counts['input']) + read + written,
        cached: read,
        output: numberOf(counts['output']),
        usd: numberOf(fieldsOf(counts['cost'])['total']),
      }),
    },
  ];
}
