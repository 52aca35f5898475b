import { CharretteError } from '../../base/errors.ts';
import { isRecord } from '../../base/safe-json.ts';
import type { CommandTable, OptionSpec } from '../../service/command.ts';
import type { Project } from '../../service/project.ts';
import { type WorkflowRow, workflowFiles } from '../../service/workflow-files.ts';

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
export type Form = {
  command: string;
  summary: string;
  text: string;
  fields: Field[];
  /** The workflow files that `run` can start; the text is their argument. */
  files?: WorkflowRow[];
};

/** The commands that the page starts. */
const startable: readonly string[] = ['design', 'build', 'run'];

/** Values that name files of the server's machine stay with its terminal. */
const localValues: readonly string[] = ['file', 'dir'];

const maxText = 20_000;

export async function formsOf(project: Project, commands: CommandTable): Promise<Form[]> {
  const offered = startable.flatMap((name) => {
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    return command === undefined ? [] : [{ name, command }];
  });
  return Promise.all(
    offered.map(async ({ name, command }) => {
      const { arguments: given = [], options = [] } = await command.load();
      const files = name === 'run' ? workflowFiles(project) : undefined;
      const argument = given[files === undefined ? 0 : 1];
      return {
        command: name,
        summary: command.summary,
        ...(files !== undefined && { files }),
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
export async function wordsOf(project: Project, commands: CommandTable, body: unknown): Promise<string[]> {
  const sent = isRecord(body) ? body : {};
  const form = (await formsOf(project, commands)).find(({ command }) => command === sent['command']);
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
    // `@FILE` names a file of the server's machine too.
    const isPlain = typeof value === 'string' && value.length < 1000 && !value.startsWith('@');
    if (field !== undefined && field.kind !== 'switch' && isPlain)
      return value === '' ? [] : [`${flag}=${value}`];
    throw new CharretteError({
      code: 'usage',
      message: `${form.command} on the page does not take ${JSON.stringify(flag)} with ${JSON.stringify(value)}.`,
    });
  });
  const file = form.files?.find((each) => each.usable && each.file === sent['file'])?.file;
  if (form.files !== undefined && file === undefined)
    throw new CharretteError({
      code: 'usage',
      message: 'Choose one of the workflow files that can be used.',
    });
  const given = file === undefined ? [text] : [file, ...(text.trim() === '' ? [] : [text])];
  const all = [form.command, '--detach', ...words, '--', ...given];
  if (!all.some((word) => word.includes('\0'))) return all;
  throw new CharretteError({ code: 'usage', message: 'A NUL character was sent; use text.' });
}
