import { parseClaude } from './claude-dialect.ts';
import type { BuildRequest, Driver, Launch } from './driver.ts';
import { longestArgument } from './driver.ts';

const readTools = 'Read,Grep,Glob';
const writeTools = 'Read,Grep,Glob,Edit,Write,Bash';

/** Claude Code. */
export const claude: Driver = {
  title: 'Claude Code',
  family: 'anthropic',
  programs: ['claude'],
  natives: [
    '@anthropic-ai/claude-code-{os}-{cpu}/claude',
    '@anthropic-ai/claude-code-{os}-{cpu}-musl/claude',
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
    files: [
      {
        path: '.claude/.credentials.json',
        renewed: true,
        moved: { variable: 'CLAUDE_CONFIG_DIR', folder: '.claude' },
      },
    ],
    variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'CLAUDE_CODE_OAUTH_TOKEN'],
    variablesWhen: {
      CLAUDE_CODE_USE_BEDROCK: [
        'AWS_REGION',
        'AWS_ACCESS_KEY_ID',
        'AWS_SECRET_ACCESS_KEY',
        'AWS_SESSION_TOKEN',
        'AWS_BEARER_TOKEN_BEDROCK',
      ],
      CLAUDE_CODE_USE_VERTEX: ['ANTHROPIC_VERTEX_PROJECT_ID', 'CLOUD_ML_REGION'],
    },
    fileVariables: ['GOOGLE_APPLICATION_CREDENTIALS'],
  },
  build,
  parse: (line) => parseClaude(line, { inputHoldsCache: false, usageScope: 'total' }),
};

function build({ program, task, settings, resume }: BuildRequest): Launch {
  const schema = task.schema === undefined ? undefined : JSON.stringify(task.schema);
  const access =
    task.access === 'read'
      ? ['--restricted', '--tools', readTools]
      : ['--tools', writeTools, '--allowedTools', writeTools, '--permission-mode', 'acceptEdits'];
  return {
    argv: [
      ...program,
      // Partial messages show that a long answer is on its way.
      ...['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
      '--strict-mcp-config',
      ...access,
      ...['--max-turns', String(task.limits.turns ?? 80)],
      ...(settings.model === undefined ? [] : ['--model', settings.model]),
      ...(settings.effort === undefined ? [] : ['--effort', settings.effort]),
      ...(schema === undefined || schema.length > longestArgument ? [] : ['--json-schema', schema]),
      ...(task.limits.usd === undefined ? [] : ['--max-budget-usd', String(task.limits.usd)]),
      ...(resume === undefined ? [] : ['--resume', resume.session]),
      ...(resume?.fork ? ['--fork-session'] : []),
    ],
    environment: {
      ...(settings.baseUrl === undefined ? {} : { ANTHROPIC_BASE_URL: settings.baseUrl }),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      // Retries are ours to make; its own take three minutes and look like work.
      CLAUDE_CODE_MAX_RETRIES: '1',
      API_TIMEOUT_MS: String(Math.min(task.limits.wallMs, 600_000)),
    },
    files: {},
    stdin: task.prompt,
  };
}
