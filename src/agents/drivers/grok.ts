import { parseClaude } from './claude-dialect.ts';
import type { BuildRequest, Driver, Launch } from './driver.ts';
import { longestArgument, tomlString } from './launch.ts';

const promptFile = 'charrette-prompt.txt';

/** Grok Build. It takes its prompt from a file. */
export const grok: Driver = {
  title: 'Grok Build',
  family: 'xai',
  programs: ['grok'],
  natives: ['@xai-official/grok/bin/grok-native'],
  versionArguments: ['--version'],
  capabilities: {
    readOnly: 'enforced',
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
  parse: (line) => parseClaude(line, { inputHoldsCache: false, usageScope: 'total' }),
};

function build({ program, task, settings, resume, home }: BuildRequest): Launch {
  const schema = task.schema === undefined ? undefined : JSON.stringify(task.schema);
  const own = settings.baseUrl === undefined ? undefined : 'charrette';
  const model = own ?? settings.model;
  const access = task.access === 'read' ? ['--tools', 'read_file,grep,list_dir'] : ['--always-approve'];
  return {
    argv: [
      ...program,
      ...['--prompt-file', `${home}/${promptFile}`, '--output-format', 'streaming-messages-json'],
      ...(model === undefined ? [] : ['-m', model]),
      ...(settings.effort === undefined ? [] : ['--reasoning-effort', settings.effort]),
      ...['--disable-web-search', '--no-subagents', '--max-turns', String(task.limits.turns ?? 80)],
      ...(schema === undefined || schema.length > longestArgument ? [] : ['--json-schema', schema]),
      ...access,
      ...(resume === undefined ? [] : ['--resume', resume.session]),
      ...(resume?.fork ? ['--fork-session'] : []),
    ],
    environment: {},
    files: {
      [promptFile]: task.prompt,
      '.grok/config.toml': [
        ...(own === undefined || settings.baseUrl === undefined
          ? []
          : [
              `[models]\ndefault = ${tomlString(own)}`,
              `[model.${own}]`,
              `model = ${tomlString(settings.model ?? 'default')}`,
              `base_url = ${tomlString(settings.baseUrl)}`,
              'env_key = "XAI_API_KEY"',
              `name = ${tomlString(own)}`,
              'context_window = 200000',
            ]),
        '[features]\ntelemetry = false',
        '[cli]\nauto_update = false\n',
      ].join('\n'),
    },
    stdin: '',
  };
}
