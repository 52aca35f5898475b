import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from '../../base/files/bounded.ts';
import { epochMs, type LimitNote } from '../quota.ts';
import type { BuildRequest, Driver, Launch, Signal } from './driver.ts';
import { tomlString } from './driver.ts';
import {
  detailOf,
  type Fields,
  fieldsOf,
  measured,
  numberOf,
  objectOn,
  optionalNumber,
  textOf,
} from './reading.ts';

const schemaFile = 'charrette-schema.json';

/** Features that call home, start daemons or try for ever. */
const disabledFeatures = [
  'unbounded_connection_retries',
  'plugins',
  'apps',
  'remote_plugin',
  'plugin_discovery_prefetch',
  'daemon_auto_start',
  'multi_agent',
  'goals',
];

/** Codex. */
export const codex: Driver = {
  title: 'Codex',
  family: 'openai',
  programs: ['codex'],
  natives: [
    '@openai/codex-{os}-{cpu}/vendor/x86_64-unknown-linux-musl/bin/codex',
    '@openai/codex-{os}-{cpu}/vendor/aarch64-unknown-linux-musl/bin/codex',
    '@openai/codex-{os}-{cpu}/vendor/aarch64-apple-darwin/bin/codex',
    '@openai/codex-{os}-{cpu}/vendor/x86_64-apple-darwin/bin/codex',
  ],
  versionArguments: ['--version'],
  capabilities: {
    write: true,
    schema: true,
    resume: true,
    fork: true,
    usage: true,
    trust: 'terminal-event',
  },
  login: {
    files: [{ path: '.codex/auth.json', renewed: true, moved: { variable: 'CODEX_HOME', folder: '.codex' } }],
    variables: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'OPENAI_BASE_URL'],
  },
  build,
  parse,
  limitNote,
};

function build({ program, task, settings, resume, home, directory, variables }: BuildRequest): Launch {
  const last =
    resume === undefined
      ? ['-']
      : resume.fork
        ? ['fork', resume.session, '-']
        : ['resume', resume.session, '-'];
  return {
    argv: [
      ...program,
      ...['exec', '--json', '--skip-git-repo-check', '-C', directory],
      ...['--sandbox', task.access === 'read' ? 'read-only' : 'workspace-write'],
      ...(task.schema === undefined ? [] : ['--output-schema', `${home}/${schemaFile}`]),
      ...configuration(settings, variables).flatMap((setting) => ['-c', setting]),
      ...disabledFeatures.flatMap((feature) => ['--disable', feature]),
      ...last,
    ],
    environment: { CODEX_HOME: `${home}/.codex` },
    files: {
      '.codex/.charrette': '',
      ...(task.schema === undefined ? {} : { [schemaFile]: JSON.stringify(task.schema) }),
    },
    stdin: task.prompt,
  };
}

function configuration(settings: BuildRequest['settings'], variables: BuildRequest['variables']): string[] {
  const key = variables['CODEX_API_KEY'] === undefined ? 'OPENAI_API_KEY' : 'CODEX_API_KEY';
  const provider =
    settings.baseUrl === undefined
      ? []
      : [
          'model_provider="charrette"',
          `model_providers.charrette={name="charrette",base_url=${tomlString(settings.baseUrl)},wire_api="responses",env_key="${key}",request_max_retries=1,stream_max_retries=1,stream_idle_timeout_ms=60000}`,
        ];
  return [
    ...(settings.model === undefined ? [] : [`model=${tomlString(settings.model)}`]),
    ...(settings.effort === undefined ? [] : [`model_reasoning_effort=${tomlString(settings.effort)}`]),
    ...provider,
    // Commands of the model must not see the key.
    'shell_environment_policy.inherit="core"',
    'sandbox_workspace_write.exclude_slash_tmp=true',
    'analytics.enabled=false',
    'check_for_update_on_startup=false',
  ];
}

/** Only the session file has the windows of the account, after success and refusal. */
async function limitNote(home: string): Promise<LimitNote | undefined> {
  const folder = path.join(home, '.codex', 'sessions');
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  // The names begin with their date.
  const newest = names
    .filter((name) => /rollout-[^/]*\.jsonl$/.test(name))
    .sort()
    .at(-1);
  const text = newest && (await readTextFile(path.join(folder, newest)).catch(() => undefined));
  return text ? rateLimitsIn(text) : undefined;
}

/** The last figures in a session file. A window is known by its minutes, whichever place it has. */
export function rateLimitsIn(text: string): LimitNote | undefined {
  const line = text.split('\n').findLast((each) => each.includes('"rate_limits"'));
  const limits = fieldsOf(fieldsOf(objectOn(line ?? '')?.['payload'])['rate_limits']);
  const windows = [limits['primary'], limits['secondary']].map(fieldsOf).flatMap((each) => {
    const percent = optionalNumber(each['used_percent']);
    if (percent === undefined) return [];
    const minutes = numberOf(each['window_minutes']);
    const name = windowNames[minutes] ?? `${minutes}_minutes`;
    return [{ name, usedShare: percent / 100, resetsAt: epochMs(optionalNumber(each['resets_at'])) }];
  });
  // Of two that are used up, the later reset counts.
  const rank = ({ usedShare, resetsAt = 0 }: (typeof windows)[number]) =>
    [Math.min(usedShare, 1), resetsAt] as const;
  const [fullest] = [...windows].sort((one, other) => {
    const [[share, reset], [otherShare, otherReset]] = [rank(one), rank(other)];
    return otherShare - share || otherReset - reset;
  });
  if (fullest === undefined) return undefined;
  const isUsedUp = fullest.usedShare >= 1 && fullest.resetsAt !== undefined;
  return {
    ...{ usedShare: fullest.usedShare, window: fullest.name },
    ...(isUsedUp ? { resetsAt: fullest.resetsAt as number } : {}),
  };
}

const windowNames: Readonly<Record<number, string>> = { 300: 'five_hour', 10080: 'seven_day' };

function parse(line: string): Signal[] {
  const event = objectOn(line);
  if (event === undefined) return [];
  switch (event['type']) {
    case 'thread.started':
      return [{ type: 'session', id: textOf(event['thread_id']) }];
    case 'item.started':
      return itemStarted(fieldsOf(event['item']));
    case 'item.completed':
      return itemCompleted(fieldsOf(event['item']));
    case 'turn.completed':
      return [...usage(fieldsOf(event['usage'])), { type: 'success' }];
    case 'turn.failed':
      return [{ type: 'failure', message: textOf(fieldsOf(event['error'])['message']) }];
    case 'error':
      return errorEvent(textOf(event['message']));
    default:
      return [];
  }
}

const toolItems: Readonly<Record<string, string>> = {
  command_execution: 'shell',
  mcp_tool_call: 'mcp',
  file_change: 'edit',
  web_search: 'web_search',
};

function itemStarted(item: Fields): Signal[] {
  const tool = toolItems[textOf(item['type'])];
  return tool === undefined
    ? []
    : [{ type: 'tool-start', tool, call: textOf(item['id']), detail: detailOf(item) }];
}

function itemCompleted(item: Fields): Signal[] {
  // The answer is the last message; those before it are narration.
  if (item['type'] === 'agent_message') return [{ type: 'text', text: textOf(item['text']), whole: true }];
  const tool = toolItems[textOf(item['type'])];
  if (tool === undefined) return [];
  return [{ type: 'tool-end', tool, call: textOf(item['id']), failed: item['status'] === 'failed' }];
}

/** Reconnections are reported as errors; only the last one is final. */
function errorEvent(message: string): Signal[] {
  if (/^reconnecting/i.test(message)) return [{ type: 'retry', reason: message }];
  return [{ type: 'failure', message, passing: true }];
}

/** A resumed thread reports old and new together. */
function usage(counts: Fields): Signal[] {
  return [
    {
      type: 'usage',
      scope: 'session',
      usage: measured({
        input: numberOf(counts['input_tokens']),
        cached: numberOf(counts['cached_input_tokens']),
        output: numberOf(counts['output_tokens']),
        reasoning: numberOf(counts['reasoning_output_tokens']),
      }),
    },
  ];
}
