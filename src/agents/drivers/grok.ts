import { parseClaude } from './claude-dialect.ts';
import type { BuildRequest, Driver, Launch } from './driver.ts';
import { tomlString } from './launch.ts';

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
    schema: false,
    resume: true,
    fork: false,
    usage: true,
    trust: 'terminal-event',
  },
  login: {
    files: [{ path: '.grok/auth.json', renewed: true }],
    variables: ['XAI_API_KEY', 'GROK_API_KEY'],
  },
  build,
  parse: (line) => parseClaude(line, { inputHoldsCache: false, usageScope: 'total' }),
};

function build({ program, task, settings, resume, home }: BuildRequest): Launch {
  const own = settings.baseUrl === undefined ? undefined : 'charrette';
  const model = own ?? settings.model;
  const access = task.access === 'read' ? ['--tools', 'read_file,grep,list_dir'] : ['--always-approve'];
  return {
    argv: [
      ...program,
      ...['--prompt-file', `${home}/${promptFile}`, '--output-format', 'streaming-messages-json'],
      ...(model === undefined ? [] : ['-m', model]),
      ...['--disable-web-search', '--no-subagents'],
      ...access,
      ...(resume === undefined ? [] : ['--resume', resume.session]),
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
