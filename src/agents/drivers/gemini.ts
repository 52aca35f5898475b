import type { BuildRequest, Driver, Launch, Signal } from './driver.ts';
import {
  detailOf,
  type Fields,
  fieldsOf,
  measured,
  numberOf,
  objectOn,
  optionalText,
  textOf,
} from './reading.ts';

/** Gemini CLI. */
export const gemini: Driver = {
  title: 'Gemini CLI',
  family: 'google',
  quotaPerModel: true,
  programs: ['gemini'],
  natives: [],
  versionArguments: ['--version'],
  capabilities: {
    write: true,
    schema: false,
    resume: true,
    fork: false,
    usage: true,
    // A stream that was cut after some words ends with status `success`.
    trust: 'schema-only',
  },
  login: {
    files: [
      { path: '.gemini/oauth_creds.json', renewed: true },
      { path: '.gemini/google_accounts.json' },
      { path: '.gemini/installation_id' },
    ],
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION'],
    variablesWhen: { GOOGLE_GENAI_USE_VERTEXAI: [], GOOGLE_GENAI_USE_GCA: [] },
    fileVariables: ['GOOGLE_APPLICATION_CREDENTIALS'],
  },
  build,
  parse,
};

function build({ program, task, settings, resume, variables }: BuildRequest): Launch {
  return {
    argv: [
      ...program,
      // Without trust the plan mode is dropped without a word.
      ...['--skip-trust', '--approval-mode', task.access === 'read' ? 'plan' : 'yolo'],
      ...['--output-format', 'stream-json'],
      ...(settings.model === undefined ? [] : ['-m', settings.model]),
      ...(resume === undefined ? [] : ['--resume', resume.session]),
    ],
    environment: {
      GEMINI_CLI_NO_RELAUNCH: 'true',
      ...(settings.baseUrl === undefined ? {} : { GOOGLE_GEMINI_BASE_URL: settings.baseUrl }),
    },
    files: {
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: authType(variables) } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false, maxAttempts: 1 },
      }),
    },
    stdin: task.prompt,
  };
}

function authType(variables: BuildRequest['variables']): string {
  if (variables['GOOGLE_GENAI_USE_VERTEXAI'] !== undefined) return 'vertex-ai';
  return variables['GEMINI_API_KEY'] === undefined ? 'oauth-personal' : 'gemini-api-key';
}

function parse(line: string): Signal[] {
  const event = objectOn(line);
  if (event === undefined) return [];
  switch (event['type']) {
    case 'init':
      return [{ type: 'session', id: textOf(event['session_id']), model: optionalText(event['model']) }];
    case 'message':
      return event['role'] === 'assistant'
        ? [{ type: 'text', text: textOf(event['content']), whole: event['delta'] !== true }]
        : [];
    case 'tool_use':
      return [
        {
          type: 'tool-start',
          tool: textOf(event['tool_name']),
          call: optionalText(event['tool_id']),
          detail: detailOf(event['parameters']),
        },
      ];
    case 'tool_result':
      return [
        { type: 'tool-end', call: optionalText(event['tool_id']), failed: event['status'] === 'error' },
      ];
    case 'error':
      return event['severity'] === 'warning'
        ? []
        : [{ type: 'failure', message: textOf(event['message']), passing: true }];
    case 'result':
      return [...usage(fieldsOf(event['stats'])), ...result(event)];
    default:
      return [];
  }
}

/** The status counts; the program ends with 0 even when it is `error`. */
function result(event: Fields): Signal[] {
  if (event['status'] === 'success') return [{ type: 'success' }];
  const message = optionalText(fieldsOf(event['error'])['message']);
  return message === undefined
    ? [{ type: 'failure', message: 'The run ended with status "error".', vague: true }]
    : [{ type: 'failure', message }];
}

function usage(stats: Fields): Signal[] {
  if (!('input_tokens' in stats)) return [];
  const [input, cached] = [numberOf(stats['input_tokens']), numberOf(stats['cached'])];
  return [
    {
      type: 'usage',
      scope: 'total',
      usage: measured({ input, cached, output: numberOf(stats['output_tokens']) }),
    },
  ];
}
