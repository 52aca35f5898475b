import { skillFolders } from '../../skills/install/package-tree.ts';
import { eventNames, type HookEvent, type HookHost } from './events.ts';
import type { SharedSettings } from './json-edit.ts';
import { parts } from './open-runs.ts';
import { thinSkills, thinSkillText } from './plugin-skills.ts';
import { cursorServer, geminiCommands, type PluginForm, pluginFiles } from './plugins.ts';

/** Seconds that a host waits for a hook of ours. */
const seconds = 20;

type HookEntry = { event: string; value: Record<string, unknown> };

/** Says nothing where the program is not installed. */
function ifInstalled(command: string): string {
  return `command -v charrette >/dev/null 2>&1 && ${command} || true`;
}

/** The hooks of a host as entries of its configuration, each under the event's own name. */
export function hookEntries(host: HookHost): HookEntry[] {
  const names = eventNames[host];
  const command = (event: HookEvent, more = '') =>
    ifInstalled(`charrette hook ${event} --host ${host}${more}`);
  const entries: HookEntry[] = [];
  const add = (event: HookEvent, commands: readonly string[], matcher?: string) => {
    const name = names[event];
    if (name === undefined) return;
    for (const value of valuesOf(host, commands, matcher)) entries.push({ event: name, value });
  };
  if (host === 'claude' || host === 'codex') {
    // A long card comes in parts: the output of a hook is limited.
    add('session-start', [command('session-start')], 'startup|resume|clear');
    add(
      'session-start',
      Array.from({ length: parts }, (_, index) => command('session-start', ` --part ${index + 1}`)),
      'compact',
    );
    add('pre-compact', [command('pre-compact')]);
    add('stop', [command('stop')]);
    return entries;
  }
  add('session-start', [command('session-start')]);
  add('pre-compact', [command('pre-compact')]);
  add('before-agent', [command('before-agent')]);
  add('stop', [command('stop')]);
  return entries;
}

function valuesOf(
  host: HookHost,
  commands: readonly string[],
  matcher: string | undefined,
): Record<string, unknown>[] {
  const match = matcher === undefined ? {} : { matcher };
  if (host === 'cursor') return commands.map((command) => ({ command, timeout: seconds, ...match }));
  // Gemini counts in milliseconds.
  const timeout = host === 'gemini' ? seconds * 1000 : seconds;
  const named = (command: string) =>
    host === 'gemini' ? { name: `charrette-${command.split(' hook ')[1]?.split(' ')[0]}` } : {};
  return [
    {
      ...match,
      hooks: commands.map((command) => ({ ...named(command), type: 'command', command, timeout })),
    },
  ];
}

/** The entries as one object of lists by event. */
export function hooksByEvent(entries: readonly HookEntry[]): Record<string, Record<string, unknown>[]> {
  const events: Record<string, Record<string, unknown>[]> = {};
  for (const { event, value } of entries) events[event] = [...(events[event] ?? []), value];
  return events;
}

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
