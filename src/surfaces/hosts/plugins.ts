import type { HookHost } from './events.ts';
import { hookEntries, hooksByEvent } from './host-parts.ts';
import { thinSkills, thinSkillText } from './plugin-skills.ts';

/** JSON as the formatter of the project writes it: lists of plain values on one line where they fit. */
function printJson(value: unknown): string {
  return `${print(value, 0)}\n`;
}

const widest = 110;

function print(value: unknown, indent: number): string {
  const inner = '  '.repeat(indent + 1);
  const outer = '  '.repeat(indent);
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    const plain = value.every((item) => typeof item !== 'object' || item === null);
    const line = `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
    // Room for a short key before it and a comma after it.
    if (plain && outer.length + line.length + 20 <= widest) return line;
    return `[\n${value.map((item) => `${inner}${print(item, indent + 1)}`).join(',\n')}\n${outer}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (entries.length === 0) return '{}';
  return `{\n${entries.map(([key, item]) => `${inner}${JSON.stringify(key)}: ${print(item, indent + 1)}`).join(',\n')}\n${outer}}`;
}

export const pluginForms = ['claude', 'codex', 'cursor', 'gemini', 'agents'] as const;

/** Hosts, and `agents` for the vendor-neutral Agent Plugins form. */
export type PluginForm = (typeof pluginForms)[number];

const name = 'charrette';
const license = 'Apache-2.0';
const author = { name: 'Charrette' };
const description =
  'Designs features with a panel of coding agents, plans, executes and checks; puts the active phase of a workflow back after a compaction.';
const keywords = ['design', 'planning', 'multi-agent', 'workflow', 'skills'];

/** Cursor starts servers somewhere else and says where the project is. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the variable is Cursor's.
export const cursorServer = { command: name, args: ['mcp', '--cwd', '${workspaceFolder}'] };

/** Every file of a plugin, by its path inside the plugin's folder. */
export function pluginFiles(form: PluginForm, version: string): Map<string, string> {
  const files = new Map<string, string>();
  const facts = { name, version, description, author, license, keywords };
  const server = { command: name, args: ['mcp'] };
  const servers = { mcpServers: { [name]: server } };
  const hooks = (host: HookHost) => {
    const entries = hookEntries(host);
    return host === 'cursor'
      ? { version: 1, hooks: hooksByEvent(entries) }
      : { hooks: hooksByEvent(entries) };
  };
  const put = (file: string, value: unknown) => files.set(file, printJson(value));
  if (form === 'claude') {
    put('.claude-plugin/plugin.json', facts);
    put('.mcp.json', servers);
    put('hooks/hooks.json', hooks('claude'));
  } else if (form === 'codex') {
    put('.codex-plugin/plugin.json', {
      ...facts,
      skills: './skills/',
      mcpServers: './.mcp.json',
      hooks: './hooks/hooks.json',
      interface: {
        displayName: 'Charrette',
        shortDescription: 'Panels of agents that design, plan and check',
        category: 'Productivity',
      },
    });
    put('.mcp.json', servers);
    put('hooks/hooks.json', hooks('codex'));
  } else if (form === 'cursor') {
    put('.cursor-plugin/plugin.json', {
      ...facts,
      skills: './skills/',
      hooks: './hooks/hooks.json',
      mcpServers: './mcp.json',
    });
    put('mcp.json', { mcpServers: { [name]: cursorServer } });
    put('hooks/hooks.json', hooks('cursor'));
  } else if (form === 'gemini') {
    put('gemini-extension.json', { name, version, description, ...servers });
    put('hooks/hooks.json', hooks('gemini'));
    for (const [file, text] of geminiCommands()) files.set(`commands/${file}`, text);
  } else {
    put('plugin.json', {
      $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
      ...facts,
    });
    put('mcp.json', {
      $schema: 'https://agent-plugins.org/schemas/1.0.0/mcp.schema.json',
      mcpServers: { [name]: { type: 'stdio', ...server } },
    });
  }
  for (const skill of thinSkills)
    files.set(`skills/${skill.name}/SKILL.md`, thinSkillText(skill, skill.name));
  files.set('README.md', readme(form));
  return files;
}

/** Gemini's slash commands, `/charrette:design` and so on. */
export function geminiCommands(): Map<string, string> {
  return new Map(
    thinSkills.map((skill) => {
      const body = thinSkillText(skill, skill.name).split('---\n').slice(2).join('---\n').trim();
      const words = skill.description.split('. ')[0];
      return [
        `charrette/${skill.name}.toml`,
        `description = ${JSON.stringify(`${words}.`)}\nprompt = '''\n${body}\n\nThe words of the user: {{args}}\n'''\n`,
      ];
    }),
  );
}

const hostNames: Readonly<Record<PluginForm, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  cursor: 'Cursor',
  gemini: 'Gemini CLI',
  agents: 'hosts that read Agent Plugins 1.0',
};

function readme(form: PluginForm): string {
  const hooks =
    form === 'agents'
      ? 'This form has no hooks; the form for your host may have them.'
      : 'Its hooks snapshot the active phase of a workflow before a compaction and put the phase document back afterwards and keep a workflow from ending in the middle of a phase. They stay silent when there is nothing to say.';
  return `# Charrette for ${hostNames[form]}

This plugin lets ${hostNames[form]} call the \`charrette\` program: panels of coding agents sketch a feature, argue the contested
decisions, review and vote on one plan, and implement it. Its skills are thin: ${thinSkills.map(({ name: skill }) => `\`${skill}\``).join(', ')}. Its MCP server is \`charrette mcp\`.
${hooks}

Install the program first: \`npm install -g charrette\`. This folder is made by \`node scripts/plugins.ts\`; change
\`src/surfaces/hosts\`, not these files.
`;
}

/** Catalogues at the root of the repository, by path. */
export function marketplaces(version: string): Map<string, string> {
  const entry = { name, description, version, author, license, keywords, category: 'productivity' };
  const catalogue = (form: PluginForm) =>
    printJson({
      name,
      owner: author,
      metadata: { description: 'Plugins of the Charrette design-workflow engine' },
      plugins: [{ ...entry, source: `./plugins/${form}` }],
    });
  return new Map([
    ['.claude-plugin/marketplace.json', catalogue('claude')],
    ['.cursor-plugin/marketplace.json', catalogue('cursor')],
    [
      '.agents/plugins/marketplace.json',
      printJson({
        name,
        interface: { displayName: 'Charrette' },
        plugins: [
          {
            name,
            source: { source: 'local', path: './plugins/codex' },
            policy: { installation: 'AVAILABLE', authentication: 'ON_INSTALL' },
            category: 'Productivity',
          },
        ],
      }),
    ],
  ]);
}
