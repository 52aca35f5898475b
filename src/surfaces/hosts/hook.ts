import type { CommandSpec } from '../../service/command.ts';
import { printNotice } from '../../service/command.ts';
import {
  type HookEvent,
  type HookHost,
  hookEvents,
  hookHosts,
  readHookInput,
  renderDecision,
} from './events.ts';
import { runHook } from './run-hook.ts';

const largest = 8 * 1024 * 1024;

export const command: CommandSpec = {
  examples: [
    ['charrette hook session-start --host claude', 'where you are, after a compaction'],
    ['charrette hook stop --host codex', 'continue a workflow that is in the middle of a phase'],
  ],
  arguments: [['<event>', hookEvents.join(', ')]],
  options: [
    { flags: '--host <host>', description: `whose hook it is: ${hookHosts.join(', ')}`, default: 'claude' },
    { flags: '--part <number>', description: 'part of a long answer', default: '1' },
  ],
  async run({ arguments: [given], options, global, terminal }) {
    const event = hookEvents.find((known) => known === given);
    const host = hookHosts.find((known) => known === options['host']);
    // Hosts read some exits as a refusal; an error that they cannot fix goes to stderr.
    if (event === undefined || host === undefined) {
      const [what, names] = event === undefined ? ['event', hookEvents] : ['host', hookHosts];
      const said = JSON.stringify(event === undefined ? given : options['host']);
      printNotice(terminal, `charrette hook: unknown ${what} ${said}; available: ${names.join(', ')}.`);
      return { exit: 0, text: '', json: { answer: '' } };
    }
    // An agent that a run started is led by that run.
    if (terminal.env['CHARRETTE_RUN'] !== undefined) return { exit: 0, text: '', json: { answer: '' } };
    const text = await answer(event, host, options, global.cwd, terminal);
    return { exit: 0, text, json: { answer: text } };
  },
};

/** A hook that fails must not get in the way of the host: it says why on stderr and stays silent. */
async function answer(
  event: HookEvent,
  host: HookHost,
  options: Readonly<Record<string, unknown>>,
  cwd: string,
  terminal: {
    stdin: NodeJS.ReadableStream & { isTTY?: boolean };
    stderr: NodeJS.WritableStream;
    env: NodeJS.ProcessEnv;
  },
): Promise<string> {
  try {
    const input = readHookInput(await readAll(terminal.stdin), cwd);
    const decision = await runHook(event, input, {
      host,
      now: new Date().toISOString(),
      part: numberOf(options['part']) ?? 1,
    });
    return renderDecision(host, event, decision);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    printNotice(terminal, `charrette hook ${event}: ${message}`);
    return '';
  }
}

async function readAll(stdin: NodeJS.ReadableStream & { isTTY?: boolean }): Promise<string> {
  if (stdin.isTTY === true) return '';
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > largest) break;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}
