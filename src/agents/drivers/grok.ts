import { parseClaude } from './claude-dialect.ts';
import type { BuildRequest, Driver, Launch } from './driver.ts';
import { longestArgument, tomlString } from './driver.ts';

const promptFile = 'charrette-prompt.txt';
const ownModel = 'charrette';

/** Grok Build. It takes its prompt from a file. */
export const grok: Driver = {
  title: 'Grok Build',
  family: 'xai',
  programs: ['grok'],
  natives: ['@xai-official/grok/bin/grok-native'],
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
    files: [{ path: '.grok/auth.json', renewed: true }],
    variables: ['XAI_API_KEY', 'GROK_API_KEY'],
  },
  unpacks: ['.grok/bin'],
  build,
  parse: (line) => parseClaude(line, { inputHoldsCache: false, usageScope: 'total', figuresComeLast: true }),
};

function build({ program, task, settings, resume, home }: BuildRequest): Launch {
  const schema = task.schema === undefined ? undefined : JSON.stringify(task.schema);
  const model = settings.baseUrl === undefined ? settings.model : ownModel;
  const access = task.access === 'read' ? ['--tools', 'read_file,grep,list_dir'] : ['--always-approve'];
  return {
    argv: [
      ...program,
      ...['--prompt-file', `${home}/${promptFile}`, '--output-format', 'streaming-messages-json'],
      '--include-partial-messages',
      ...(model === undefined ? [] : ['-m', model]),
      ...(settings.effort === undefined ? [] : ['--reasoning-effort', settings.effort]),
      ...['--disable-web-search', '--no-subagents', '--max-turns', String(task.limits.turns ?? 80)],
      ...(schema === undefined || schema.length > longestArgument ? [] : ['--json-schema', schema]),
      ...access,
      ...(resume === undefined ? [] : ['--resume', resume.session]),
      ...(resume?.fork ? ['--fork-session'] : []),
    ],
    environment: { GROK_TURN_TRANSIENT_RETRY: 'false' },
    files: {
      [promptFile]: task.prompt,
      '.grok/config.toml': configuration(settings),
    },
    stdin: '',
  };
}

/** Retries are ours to make: its own outlast every limit. */
function configuration({ baseUrl, model }: BuildRequest['settings']): string {
  const own = [
    `[model.${ownModel}]`,
    `model = ${tomlString(model ?? 'default')}`,
    `base_url = ${tomlString(baseUrl ?? '')}`,
    'env_key = "XAI_API_KEY"',
    `name = "${ownModel}"`,
    'context_window = 200000',
  ];
  return [
    '[models]',
    'max_retries = 1',
    ...(baseUrl === undefined ? [] : [`default = "${ownModel}"`, ...own]),
    '[features]',
    'telemetry = false',
    '[cli]',
    'auto_update = false',
    '',
  ].join('\n');
}
