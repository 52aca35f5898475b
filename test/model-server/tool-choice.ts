import { recordOf, stringOf } from './json.ts';
import type { Step } from './steps.ts';
import type { OfferedTool } from './view.ts';

export const writtenText = 'written by the scripted model\n';

/** Every agent has its own names for reading, writing and running; the first pattern that matches an offered tool wins. */
const shellNames = [
  /^(bash|shell|shell_command|exec_command|run_shell_command|run_terminal_command|execute_command|run_commands)$/i,
  /shell|bash|exec/i,
];
const namesByVerb = {
  read: [/^read$/i, /^read_?(text_)?files?$/i, /^view$/i, /read_?file/i, ...shellNames],
  write: [
    /^write$/i,
    /^write_?(to_)?file$/i,
    /^create$/i,
    /^apply_patch$/i,
    /^edit$/i,
    /write|edit/i,
    ...shellNames,
  ],
  shell: shellNames,
} as const;

const neverChosen = /stdin|todo|_output$|^(kill|list)_?(bash|shell)/i;

/** The offered tool that a step means, with arguments made from its schema. */
export function chooseTool(
  tools: readonly OfferedTool[],
  step: Step,
): { tool: OfferedTool; input: Record<string, unknown> | string } | undefined {
  if (step.verb === 'call') {
    const pattern = new RegExp(step.tool, 'i');
    const tool = tools.find(({ name }) => name === step.tool) ?? tools.find(({ name }) => pattern.test(name));
    return tool && { tool, input: step.input };
  }
  for (const pattern of namesByVerb[step.verb]) {
    const tool = tools.find(({ name }) => pattern.test(name) && !neverChosen.test(name));
    if (tool !== undefined) return { tool, input: inputFor(tool, step.verb, step.argument) };
  }
  return undefined;
}

function inputFor(tool: OfferedTool, verb: 'read' | 'write' | 'shell', argument: string) {
  const command = commandFor(verb, argument);
  const patch = `*** Begin Patch\n*** Add File: ${argument}\n+${writtenText}*** End Patch\n`;
  const takesPatch = /patch/i.test(tool.name);
  if (tool.freeForm) return takesPatch ? patch : command;
  const runsCommands = shellNames.some((pattern) => pattern.test(tool.name));
  const properties = Object.entries(recordOf(tool.schema['properties']));
  const required = Array.isArray(tool.schema['required']) ? tool.schema['required'] : [];
  const input: Record<string, unknown> = {};
  for (const [key, definition] of properties) {
    const shape = recordOf(definition);
    const value = runsCommands
      ? commandArgument(key, shape, command)
      : fileArgument(key, shape, argument, takesPatch ? patch : undefined);
    if (value !== undefined) input[key] = value;
    else if (key === 'description') input[key] = `${verb} for a test`;
    else if (required.includes(key)) input[key] = smallest(shape);
  }
  return input;
}

function commandFor(verb: 'read' | 'write' | 'shell', argument: string): string {
  if (verb === 'shell') return argument;
  return verb === 'read' ? `cat ${argument}` : `printf '${writtenText.trim()}\\n' > ${argument}`;
}

function commandArgument(key: string, shape: Record<string, unknown>, command: string): unknown {
  if (key === 'commands') return [command];
  if (key !== 'command' && key !== 'cmd') return undefined;
  return shape['type'] === 'array' ? ['bash', '-lc', command] : command;
}

function fileArgument(
  key: string,
  shape: Record<string, unknown>,
  file: string,
  patch: string | undefined,
): unknown {
  if (/^(file|(target|absolute)_?(file|path)|file_?path|path)$/i.test(key)) return file;
  if (/^(files|paths|file_paths)$/i.test(key)) {
    return recordOf(shape['items'])['type'] === 'object' ? [{ path: file }] : [file];
  }
  if (/^(contents?|file_text|new_?(string|text))$/i.test(key)) return writtenText;
  if (patch !== undefined && /^(patch|patch_?text|input)$/i.test(key)) return patch;
  return undefined;
}

function smallest(shape: Record<string, unknown>): unknown {
  if (Array.isArray(shape['enum'])) return shape['enum'][0];
  if ('default' in shape) return shape['default'];
  const type = Array.isArray(shape['type']) ? shape['type'][0] : shape['type'];
  const values: Record<string, unknown> = { boolean: false, number: 1, integer: 1, array: [], object: {} };
  return values[stringOf(type)] ?? '';
}
