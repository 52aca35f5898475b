import { skillFolders } from '../../skills/install/package-tree.ts';
import { hookEntries, hooksByEvent } from './hook-config.ts';
import type { SharedSettings } from './json-edit.ts';
import { thinSkills, thinSkillText } from './plugin-skills.ts';
import { cursorServer, geminiCommands, type PluginForm, pluginFiles } from './plugins.ts';

/** What a host gets when it is set up: files of our own, and entries in files that it shares with the user. */
export type HostParts = {
  files: ReadonlyMap<string, string>;
  shared: ReadonlyMap<string, SharedSettings>;
  /** What the user has to do or know before it works. */
  notes: readonly string[];
};

/** The parts by host. Paths are relative to the project, or to the home directory of a user. */
export function hostParts(form: PluginForm, version: string): HostParts {
  const server = { command: 'charrette', args: ['mcp'] };
  const none: ReadonlyMap<string, SharedSettings> = new Map();
  if (form === 'claude') {
    return {
      files: below(`${skillFolders.claude}/charrette`, pluginFiles('claude', version)),
      shared: none,
      notes: ['Claude Code loads it in the next session, once the folder is trusted.'],
    };
  }
  if (form === 'agents') {
    return {
      files: below('.agents/plugins/charrette', pluginFiles('agents', version)),
      shared: none,
      notes: ['Hosts that read Agent Plugins find it there, or are pointed at the folder.'],
    };
  }
  const hooks = hooksByEvent(hookEntries(form));
  if (form === 'codex') {
    return {
      files: below(skillFolders.codex, skills()),
      shared: new Map([['.codex/hooks.json', { hooks }]]),
      notes: [
        'Codex asks once to trust the hooks (`/hooks`).',
        'For the MCP tools: codex mcp add charrette -- charrette mcp',
      ],
    };
  }
  if (form === 'cursor') {
    return {
      files: below(skillFolders.cursor, skills()),
      shared: new Map<string, SharedSettings>([
        ['.cursor/hooks.json', { hooks, base: { version: 1 } }],
        ['.cursor/mcp.json', { server: cursorServer }],
      ]),
      notes: [],
    };
  }
  return {
    files: new Map([...below(skillFolders.gemini, skills()), ...below('.gemini/commands', geminiCommands())]),
    shared: new Map([['.gemini/settings.json', { hooks, server }]]),
    notes: ['Gemini CLI runs project hooks only in trusted folders.'],
  };
}

/** The thin skills under names that are unique among skills of other origin. */
function skills(): Map<string, string> {
  return new Map(
    thinSkills.map((skill) => {
      const name = `charrette-${skill.name}`;
      return [`${name}/SKILL.md`, thinSkillText(skill, name)];
    }),
  );
}

function below(folder: string, files: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...files].map(([file, text]) => [`${folder}/${file}`, text]));
}
