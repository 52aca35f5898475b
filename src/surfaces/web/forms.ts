import { CharretteError } from '../../base/errors.ts';
import { isRecord } from '../../base/safe-json.ts';
import type { CommandTable, OptionSpec } from '../../service/command.ts';

/** A flag as a field of a form. */
export type Field = {
  flag: string;
  kind: 'switch' | 'choice' | 'text';
  description: string;
  /** What the value is: `amount`. */
  value?: string;
  choices?: readonly string[];
  default?: string;
};

/** A command that starts a run from one text. */
export type Form = { command: string; summary: string; text: string; fields: Field[] };

/** The commands that the page starts. */
const startable: readonly string[] = ['design', 'build'];

/** Values that name files of the server's machine stay with its terminal. */
const localValues: readonly string[] = ['file', 'dir'];

const maxText = 20_000;

export async function formsOf(commands: CommandTable): Promise<Form[]> {
  const offered = startable.flatMap((name) => {
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    return command === undefined ? [] : [{ name, command }];
  });
  return Promise.all(
    offered.map(async ({ name, command }) => {
      const { arguments: [argument] = [], options = [] } = await command.load();
      return {
        command: name,
        summary: command.summary,
        // What follows a semicolon is about terminals.
        text: (argument?.[1] ?? '').split(';')[0] ?? '',
        fields: options
          .flatMap((option) => fieldOf(option) ?? [])
          .sort((a, b) => Number(a.kind === 'switch') - Number(b.kind === 'switch')),
      };
    }),
  );
}

function fieldOf({
  flags,
  description,
  choices,
  rare,
  needs,
  default: given,
}: OptionSpec): Field | undefined {
  const flag = /--[a-z][a-z-]*/.exec(flags)?.[0];
  const value = /<(\S+)>/.exec(flags)?.[1];
  if (flag === undefined || rare === true || needs !== undefined) return undefined;
  if (value === undefined) return { flag, kind: 'switch', description };
  if (localValues.includes(value)) return undefined;
  return {
    flag,
    kind: choices === undefined ? 'text' : 'choice',
    description,
    value,
    ...(choices !== undefined && { choices }),
    ...(given !== undefined && { default: String(given) }),
  };
}

/** The words of a command line from what a form sent; only its own fields count. */
export async function wordsOf(commands: CommandTable, body: unknown): Promise<string[]> {
  const sent = isRecord(body) ? body : {};
  const form = (await formsOf(commands)).find(({ command }) => command === sent['command']);
  const text = sent['text'];
  if (form === undefined || typeof text !== 'string' || text.length > maxText)
    throw new CharretteError({
      code: 'usage',
      message: `The body must be {"command": ${startable.map((name) => JSON.stringify(name)).join(' or ')}, "text": "…", "flags": {…}} with at most ${maxText} characters.`,
    });
  const flags = isRecord(sent['flags']) ? Object.entries(sent['flags']) : [];
  const words = flags.flatMap(([flag, value]) => {
    const field = form.fields.find((each) => each.flag === flag);
    if (field?.kind === 'switch' && typeof value === 'boolean') return value ? [flag] : [];
    if (field !== undefined && field.kind !== 'switch' && typeof value === 'string' && value.length < 1000)
      return value === '' ? [] : [`${flag}=${value}`];
    throw new CharretteError({
      code: 'usage',
      message: `${form.command} on the page does not take ${JSON.stringify(flag)} with ${JSON.stringify(value)}.`,
    });
  });
  const all = [form.command, '--detach', ...words, '--', text];
  if (!all.some((word) => word.includes('\0'))) return all;
  throw new CharretteError({ code: 'usage', message: 'A NUL character was sent; use text.' });
}
