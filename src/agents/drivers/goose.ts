import { createHash } from 'node:crypto';
import type { BuildRequest, Driver, Launch, Signal } from './driver.ts';
import { providerKeys } from './driver.ts';
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

/** goose. It has no mode that reads but does not write, so read access needs the jail. */
export const goose: Driver = {
  title: 'goose',
  family: 'goose',
  programs: ['goose'],
  natives: ['@aaif/goose-binary-{os}-{cpu}/bin/goose'],
  versionArguments: ['--version'],
  capabilities: {
    write: true,
    schema: false,
    resume: true,
    fork: false,
    usage: true,
    // It ends well after a stream that was cut, so that half an answer looks like a whole one.
    trust: 'schema-only',
  },
  login: {
    files: [{ path: '.config/goose/config.yaml' }, { path: '.config/goose/secrets.yaml' }],
    variables: ['GOOSE_PROVIDER', 'GOOSE_MODEL', 'ANTHROPIC_HOST', 'OPENAI_HOST', ...providerKeys],
  },
  build,
  parse,
};

function build({ program, task, settings, resume, variables }: BuildRequest): Launch {
  // The session id is not printed; a name of our own takes its place.
  const name = resume?.session ?? sessionName(task.laneDirectory);
  const provider = variables['GOOSE_PROVIDER'] ?? (settings.baseUrl === undefined ? undefined : 'anthropic');
  const host = provider === 'openai' ? 'OPENAI_HOST' : 'ANTHROPIC_HOST';
  return {
    argv: [
      ...program,
      // Without -q a banner goes to stdout.
      ...['run', '-q', '--output-format', 'stream-json', '--with-builtin', 'developer', '--name', name],
      ...['--max-turns', String(task.limits.turns ?? 80)],
      ...(resume === undefined ? [] : ['--resume']),
      ...['-i', '-'],
    ],
    environment: {
      ...(provider === undefined ? {} : { GOOSE_PROVIDER: provider }),
      ...(settings.model === undefined ? {} : { GOOSE_MODEL: settings.model }),
      ...(settings.baseUrl === undefined ? {} : { [host]: settings.baseUrl }),
      GOOSE_MODE: 'auto',
      GOOSE_DISABLE_KEYRING: '1',
      GOOSE_TELEMETRY_ENABLED: 'false',
    },
    files: {},
    stdin: task.prompt,
    session: name,
  };
}

/** A name for the conversation that no other lane has. */
export function sessionName(laneDirectory: string): string {
  return `charrette-${createHash('sha256').update(laneDirectory).digest('hex').slice(0, 16)}`;
}

function parse(line: string): Signal[] {
  const event = objectOn(line);
  if (event === undefined) return [];
  if (event['type'] === 'message') return message(fieldsOf(event['message']));
  if (event['type'] === 'complete') return [...usage(event), { type: 'success' }];
  if (event['type'] === 'error') return [{ type: 'failure', message: textOf(event['error']) || 'error' }];
  return [];
}

function message(fields: Fields): Signal[] {
  const inference = fieldsOf(fieldsOf(fields['metadata'])['inference']);
  // What the model said carries the inference; a text without it is goose telling of an error in prose.
  const own = fields['role'] === 'assistant' && Object.keys(inference).length === 0;
  const model = optionalText(inference['requestedModel']);
  return [
    ...(model === undefined ? [] : [{ type: 'session' as const, id: '', model }]),
    ...listOf(fields['content']).flatMap((part) => content(part, own)),
  ];
}

function content(part: Fields, own: boolean): Signal[] {
  switch (part['type']) {
    case 'text':
      return own
        ? [{ type: 'failure', message: textOf(part['text']) }]
        : [{ type: 'text', text: textOf(part['text']) }];
    case 'toolRequest': {
      const value = fieldsOf(fieldsOf(part['toolCall'])['value']);
      const tool = optionalText(value['name']) ?? 'tool';
      return [
        { type: 'tool-start', tool, call: optionalText(part['id']), detail: detailOf(value['arguments']) },
      ];
    }
    case 'toolResponse': {
      const failed = fieldsOf(part['toolResult'])['status'] === 'error';
      return [{ type: 'tool-end', call: optionalText(part['id']), failed }];
    }
    case 'error':
      return [{ type: 'failure', message: optionalText(part['message']) ?? textOf(part['msg']) }];
    default:
      return [];
  }
}

function usage(event: Fields): Signal[] {
  const [input, cached] = [numberOf(event['input_tokens']), numberOf(event['cache_read_input_tokens'])];
  return [
    {
      type: 'usage',
      scope: 'session',
      usage: measured({ input, cached, output: numberOf(event['output_tokens']) }),
    },
  ];
}
