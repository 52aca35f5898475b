import { parts } from './card.ts';
import { eventNames, type HookEvent, type HookHost } from './events.ts';

/** Seconds that a host waits for a hook of ours. */
const seconds = 20;

export type HookEntry = { event: string; value: Record<string, unknown> };

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
    // A long card is told in parts, since each hook may say only so much.
    add('session-start', [command('session-start')], 'startup|resume|clear');
    add(
      'session-start',
      Array.from({ length: parts }, (_, index) => command('session-start', ` --part ${index + 1}`)),
      'compact',
    );
    add('pre-compact', [command('pre-compact')]);
    add('stop', [command('stop')]);
    add(
      'pre-tool-use',
      [command('pre-tool-use')],
      host === 'claude' ? 'Task|Agent|Skill|Bash' : 'Bash|spawn_agent',
    );
    return entries;
  }
  add('session-start', [command('session-start')]);
  add('pre-compact', [command('pre-compact')]);
  add('before-agent', [command('before-agent')]);
  add('stop', [command('stop')]);
  add(
    'pre-tool-use',
    [command('pre-tool-use')],
    host === 'gemini' ? 'run_shell_command|delegate_to_agent' : 'Shell|Task',
  );
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
