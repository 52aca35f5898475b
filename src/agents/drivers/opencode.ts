import type { BuildRequest, Driver, Launch, Signal } from './driver.ts';
import { keyNameFor, providerKeys } from './driver.ts';
import {
  detailOf,
  type Fields,
  fieldsOf,
  measured,
  numberOf,
  objectOn,
  optionalNumber,
  optionalText,
  textOf,
} from './reading.ts';

/** After this many steps without progress the program would never end. */
const hopelessSteps = 3;

/** opencode. Its plan agent lets a shell write, so read access is a permission table. */
export const opencode: Driver = {
  title: 'opencode',
  family: 'opencode',
  programs: ['opencode'],
  natives: ['opencode-{os}-{cpu}/bin/opencode', 'opencode-ai/bin/opencode.exe'],
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
    files: [
      {
        path: '.local/share/opencode/auth.json',
        renewed: true,
        moved: { variable: 'XDG_DATA_HOME', folder: '.local/share' },
      },
    ],
    variables: [...providerKeys],
  },
  build,
  parse,
};

function build({ program, task, settings, resume, variables }: BuildRequest): Launch {
  return {
    argv: [
      ...program,
      ...['run', '--pure', '--format', 'json', '--title', 'charrette'],
      ...(resume === undefined ? [] : ['--session', resume.session]),
      ...(resume?.fork ? ['--fork'] : []),
    ],
    environment: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(configuration(task.access, settings, variables)),
      // It would fetch a package for plugins at every start in a new HOME; there are none.
      npm_config_offline: 'true',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    },
    files: {},
    stdin: task.prompt,
  };
}

function configuration(
  access: 'read' | 'write',
  settings: BuildRequest['settings'],
  variables: BuildRequest['variables'],
) {
  const work = access === 'read' ? 'deny' : 'allow';
  const model = settings.baseUrl === undefined ? settings.model : `charrette/${settings.model ?? 'default'}`;
  return {
    autoupdate: false,
    share: 'disabled',
    ...(model === undefined ? {} : { model, small_model: model }),
    ...(settings.baseUrl === undefined
      ? {}
      : { provider: { charrette: ownProvider(settings.baseUrl, settings.model ?? 'default', variables) } }),
    permission: { edit: work, bash: work, webfetch: 'deny', task: 'deny', external_directory: 'deny' },
  };
}

function ownProvider(baseURL: string, model: string, variables: BuildRequest['variables']) {
  const key = keyNameFor(variables, providerKeys);
  return {
    npm: '@ai-sdk/openai-compatible',
    name: 'charrette',
    options: { baseURL, apiKey: key === undefined ? 'none' : `{env:${key}}` },
    models: { [model]: { name: model, limit: { context: 200_000, output: 8000 } } },
  };
}

function parse(line: string): Signal[] {
  const event = objectOn(line);
  if (event === undefined) return [];
  const part = fieldsOf(event['part']);
  const session: Signal[] = event['sessionID'] ? [{ type: 'session', id: textOf(event['sessionID']) }] : [];
  switch (event['type']) {
    case 'step_start':
      return [
        ...session,
        { type: 'narration-end' },
        stepStrike('unfinished', 'Steps begin again and again without an end.'),
      ];
    case 'text':
      return [{ type: 'text', text: textOf(part['text']) }];
    case 'tool_use':
      return tool(part);
    case 'step_finish':
      return [{ type: 'strike-clear', name: 'unfinished' }, ...usage(part), ...stepEnd(part)];
    case 'error':
      return [...session, failure(fieldsOf(event['error']))];
    default:
      return [];
  }
}

function stepStrike(name: string, message: string): Signal {
  return { type: 'strike', name, allowed: hopelessSteps, kind: 'stream', message };
}

/** Without a terminal event a step that stops is the end, unless another one follows. */
function stepEnd(part: Fields): Signal[] {
  if (part['reason'] === 'stop') return [{ type: 'success' }];
  if (part['reason'] === 'length')
    return [{ type: 'failure', kind: 'limit', message: 'The answer was cut off.' }];
  // A refusal too comes under this name.
  if (part['reason'] === 'content-filter')
    return [{ type: 'failure', kind: 'bad_output', message: 'The provider withheld the answer.' }];
  if (part['reason'] === 'unknown') return [stepStrike('unknown', 'Steps end without a reason.')];
  return [];
}

function tool(part: Fields): Signal[] {
  const state = fieldsOf(part['state']);
  const [name, call] = [textOf(part['tool']), optionalText(part['callID'])];
  return [
    { type: 'tool-start', tool: name, call, detail: detailOf(state['input']) },
    { type: 'tool-end', tool: name, call, failed: state['status'] === 'error' },
  ];
}

function usage(part: Fields): Signal[] {
  const tokens = fieldsOf(part['tokens']);
  const cache = fieldsOf(tokens['cache']);
  const [read, written] = [numberOf(cache['read']), numberOf(cache['write'])];
  return [
    {
      type: 'usage',
      scope: 'add',
      usage: measured({
        input: numberOf(tokens['input']) + read + written,
        cached: read,
        output: numberOf(tokens['output']),
        reasoning: numberOf(tokens['reasoning']),
        usd: numberOf(part['cost']),
      }),
    },
  ];
}

function failure(error: Fields): Signal {
  const data = fieldsOf(error['data']);
  const kind = error['name'] === 'ContextOverflowError' ? 'context_too_long' : undefined;
  const message = optionalText(data['message']) ?? textOf(error['name']);
  const after = optionalText(fieldsOf(data['responseHeaders'])['retry-after']);
  return {
    type: 'failure',
    kind,
    status: optionalNumber(data['statusCode']),
    message: after === undefined ? message : `${message} (retry-after: ${after})`,
  };
}
