import type { Usage } from '../port.ts';
import type { BuildRequest, Driver, Launch, Signal } from './driver.ts';
import { keyNameFor } from './driver.ts';
import {
  detailOf,
  type Fields,
  fieldsOf,
  listOf,
  measured,
  numberOf,
  objectOn,
  optionalNumber,
  optionalText,
  textOf,
} from './reading.ts';

const usageFile = 'charrette-usage.json';

/** GitHub Copilot CLI. */
export const copilot: Driver = {
  title: 'GitHub Copilot CLI',
  family: 'github',
  programs: ['copilot'],
  natives: ['@github/copilot-{os}-{cpu}/copilot'],
  versionArguments: ['--version'],
  capabilities: {
    write: true,
    schema: false,
    resume: true,
    fork: false,
    usage: true,
    trust: 'terminal-event',
  },
  login: {
    files: [{ path: '.copilot/config.json', renewed: true }],
    variables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY'],
  },
  unpacks: ['.cache/copilot/pkg'],
  usageFile: { path: usageFile, scope: 'session', read: readUsage },
  build,
  parse,
};

function build({ program, task, settings, resume, home, variables }: BuildRequest): Launch {
  const name = keyNameFor(variables, ['COPILOT_PROVIDER_API_KEY', 'OPENAI_API_KEY']);
  const key = name === undefined ? undefined : variables[name];
  return {
    argv: [
      ...program,
      ...['--output-format', 'json', '--no-auto-update', '--disable-client-telemetry', '--no-ask-user'],
      ...['--disable-builtin-mcps', '--usage-output-file', `${home}/${usageFile}`],
      ...(settings.model === undefined ? [] : ['--model', settings.model]),
      ...(resume === undefined ? [] : ['--resume', resume.session]),
      '--allow-all-tools',
      ...(task.access === 'read' ? ['--available-tools', 'view', 'grep', 'glob'] : []),
    ],
    environment: {
      COPILOT_AUTO_UPDATE: 'false',
      ...(settings.baseUrl === undefined
        ? {}
        : {
            COPILOT_OFFLINE: 'true',
            COPILOT_PROVIDER_BASE_URL: settings.baseUrl,
            COPILOT_PROVIDER_TYPE: 'openai',
            ...(key === undefined ? {} : { COPILOT_PROVIDER_API_KEY: key }),
            ...(settings.model === undefined ? {} : { COPILOT_MODEL: settings.model }),
          }),
    },
    files: {},
    stdin: task.prompt,
  };
}

function parse(line: string): Signal[] {
  const event = objectOn(line);
  if (event === undefined) return [];
  const data = fieldsOf(event['data']);
  switch (event['type']) {
    case 'model.call_start':
      return [{ type: 'session', id: '', model: optionalText(data['model']) }];
    case 'assistant.message':
      return message(data);
    case 'tool.execution_start':
      return [
        {
          type: 'tool-start',
          tool: textOf(data['toolName']),
          call: optionalText(data['toolCallId']),
          detail: detailOf(data['arguments']),
        },
      ];
    case 'tool.execution_complete':
      return [
        { type: 'tool-end', call: optionalText(data['toolCallId']), failed: data['success'] === false },
      ];
    case 'model.call_failure':
      return [
        {
          type: 'failure',
          message: textOf(data['errorMessage']),
          status: optionalNumber(data['statusCode']),
          passing: true,
        },
      ];
    case 'assistant.turn_retry':
      return [{ type: 'retry', reason: textOf(data['reason']) }];
    case 'session.error':
      return [
        { type: 'failure', message: textOf(data['message']), status: optionalNumber(data['statusCode']) },
      ];
    case 'result':
      return result(event);
    default:
      return [];
  }
}

function message(data: Fields): Signal[] {
  const asksForTools = listOf(data['toolRequests']).length > 0;
  return asksForTools ? [] : [{ type: 'text', text: textOf(data['content']), whole: true }];
}

function result(event: Fields): Signal[] {
  const session: Signal = { type: 'session', id: textOf(event['sessionId']) };
  if (event['exitCode'] === 0) return [session, { type: 'success' }];
  const message = `The run ended with exit code ${numberOf(event['exitCode'])}.`;
  return [session, { type: 'failure', message, vague: true }];
}

/** Tokens per model, in a separate file; a resumed conversation continues its count. */
function readUsage(text: string): Usage | undefined {
  const document = objectOn(text);
  if (document === undefined) return undefined;
  const models = Object.values(fieldsOf(document['modelMetrics'])).map((model) =>
    fieldsOf(fieldsOf(model)['usage']),
  );
  if (models.length === 0) return undefined;
  const sum = (name: string) => models.reduce((total, model) => total + numberOf(model[name]), 0);
  return measured({
    input: sum('inputTokens'),
    cached: sum('cacheReadTokens'),
    output: sum('outputTokens'),
    reasoning: sum('reasoningTokens'),
  });
}
