import { Readable, Writable } from 'node:stream';
import { CharretteError } from '../../base/errors.ts';
import type { CommandSpec, Invocation } from '../cli/command.ts';
import type { Call } from './tool.ts';

/** Runs a command in this process, without a terminal, and gives back what it would print with --json. */
export async function callCommand(
  spec: CommandSpec,
  given: Pick<Invocation, 'arguments' | 'options'>,
  call: Pick<Call, 'context' | 'signal'>,
): Promise<unknown> {
  if (spec.run === undefined)
    throw new CharretteError({ code: 'internal', message: `${spec.name} does nothing.` });
  return (await spec.run({ ...invocationOf(call), ...given })).json;
}

/** A call as commands know it: nobody to ask, and nowhere to print. */
export function invocationOf({ context, signal }: Pick<Call, 'context' | 'signal'>): Invocation {
  return {
    arguments: [],
    options: {},
    global: {
      output: 'json',
      cwd: context.cwd,
      config: context.config,
      quiet: true,
      verbose: false,
      color: { stdout: false, stderr: false },
      plain: true,
      motion: false,
      input: false,
      yes: false,
      dryRun: false,
      timeoutMs: undefined,
    },
    terminal: { stdin: Readable.from([]), stdout: nowhere(), stderr: nowhere(), env: context.env },
    signal,
  };
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
