import { parseClaude } from './claude-dialect.ts';
import type { BuildRequest, Driver, Launch } from './driver.ts';
import { longestArgument } from './driver.ts';

/** Qwen Code: Gemini CLI's arguments, Claude Code's output. */
export const qwen: Driver = {
  title: 'Qwen Code',
  family: 'qwen',
  programs: ['qwen'],
  natives: [],
  versionArguments: ['--version'],
  capabilities: {
    write: true,
    schema: true,
    resume: true,
    fork: false,
    usage: true,
    trust: 'terminal-event',
  },
  login: {
    files: [{ path: '.qwen/oauth_creds.json', renewed: true }],
    variables: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL', 'DASHSCOPE_API_KEY'],
  },
  build,
  parse: (line) => parseClaude(line, { inputHoldsCache: true, usageScope: 'session' }),
};

function build({ program, task, settings, resume, variables }: BuildRequest): Launch {
  const auth = variables['OPENAI_API_KEY'] === undefined ? 'qwen-oauth' : 'openai';
  const schema = task.schema === undefined ? undefined : JSON.stringify(task.schema);
  return {
    argv: [
      ...program,
      ...['--auth-type', auth, '--approval-mode', task.access === 'read' ? 'plan' : 'yolo'],
      ...['--output-format', 'stream-json', '--include-partial-messages'],
      ...(settings.model === undefined ? [] : ['--model', settings.model]),
      ...(schema === undefined || schema.length > longestArgument ? [] : ['--json-schema', schema]),
      ...(resume === undefined ? [] : ['--resume', resume.session]),
    ],
    environment: {
      ...(settings.baseUrl === undefined ? {} : { OPENAI_BASE_URL: settings.baseUrl }),
      ...(settings.model === undefined ? {} : { OPENAI_MODEL: settings.model }),
    },
    files: {
      '.qwen/settings.json': JSON.stringify({
        security: { auth: { selectedType: auth } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false, maxAttempts: 1 },
        model: { generationConfig: { maxRetries: 1 } },
      }),
    },
    stdin: task.prompt,
  };
}
