import type { JsonSchema } from '../../agents/port.ts';
import { delimit, seededNonce, untrustedRule } from '../../prompts/untrusted.ts';
import { isRecord } from '../../safe-json.ts';
import { type OutputSchema, schemaOfFile } from './output-schema.ts';
import type { RunPhase } from './run-plan.ts';

export type PhaseStatus = 'DONE' | 'DONE_WITH_CONCERNS' | 'BLOCKED' | 'NEEDS_CONTEXT';

/** What a phase gives back: values of its variables, contents of files it could not write itself, a summary. */
export type PhaseAnswer = {
  status: PhaseStatus;
  summary: string;
  outputs: Record<string, unknown>;
  files: Record<string, string>;
};

export type PhaseCall = {
  skill: string;
  phase: RunPhase;
  document: string;
  task: string;
  preferences: Readonly<Record<string, unknown>>;
  values: Readonly<Record<string, unknown>>;
  /** What was wrong with the attempts before. */
  problems: readonly string[];
  /** Schemas of outputs, by name. */
  schemas: ReadonlyMap<string, OutputSchema>;
  seed: string;
};

/** The request for one phase. The phase document is the instruction; the task and earlier results are data. */
export function phasePrompt({
  skill,
  phase,
  document,
  task,
  preferences,
  values,
  problems,
  schemas,
  seed,
}: PhaseCall): string {
  const nonce = seededNonce(seed);
  const inputs = Object.fromEntries(
    phase.inputs.filter((name) => values[name] !== undefined).map((name) => [name, values[name]]),
  );
  const expected = [
    ...phase.variables.map((name) => `- the value \`${name}\`${shape(schemas.get(name))}`),
    ...phase.files.map((file) => `- the file \`${file}\`${shape(schemaOfFile(schemas, file))}`),
  ];
  return [
    `You carry out phase ${phase.number} (${phase.name}) of the workflow ${skill} in the current directory. The coordinator is a program: it keeps the todo list, asks people and starts the next phase. Do this phase only.`,
    untrustedRule,
    delimit({ tag: 'task', content: task }, nonce),
    `Preferences (workflowPreferences): ${JSON.stringify(preferences)}`,
    delimit({ tag: 'inputs', content: JSON.stringify(inputs, null, 2) }, nonce),
    ...(problems.length === 0
      ? []
      : [`The last attempt was not accepted:\n${problems.map((problem) => `- ${problem}`).join('\n')}`]),
    'Answer with one JSON object: "status" (DONE, DONE_WITH_CONCERNS, BLOCKED or NEEDS_CONTEXT), "summary" (two or three sentences), "outputs" (an object with the values below), "files" (path to content, only for files that you could not write yourself).',
    expected.length === 0
      ? 'This phase has no declared outputs.'
      : `It must produce:\n${expected.join('\n')}`,
    `The phase document, ${phase.file}:`,
    document.trimEnd(),
    '',
  ].join('\n\n');
}

/** How an output must look, when the package says so. */
function shape(found: OutputSchema | undefined): string {
  return found === undefined ? '' : `, which must fit this JSON Schema: ${JSON.stringify(found.schema)}`;
}

export function phaseSchema({ variables }: RunPhase, schemas: ReadonlyMap<string, OutputSchema>): JsonSchema {
  return {
    type: 'object',
    required: ['status', 'summary', 'outputs'],
    properties: {
      status: { enum: ['DONE', 'DONE_WITH_CONCERNS', 'BLOCKED', 'NEEDS_CONTEXT'] },
      summary: { type: 'string' },
      outputs: {
        type: 'object',
        required: [...variables],
        properties: Object.fromEntries(variables.map((name) => [name, schemas.get(name)?.schema ?? {}])),
      },
      files: { type: 'object', additionalProperties: { type: 'string' } },
    },
  };
}

export type PhaseReading = { answer: PhaseAnswer | undefined; problems: string[] };

/** A declared value that is missing or empty fails the phase by name. */
export function readPhaseAnswer(value: unknown, phase: RunPhase): PhaseReading {
  if (!isRecord(value) || !isRecord(value['outputs']))
    return { answer: undefined, problems: ['The answer is not a JSON object with "outputs".'] };
  const outputs = value['outputs'];
  const status = ['DONE', 'DONE_WITH_CONCERNS', 'BLOCKED', 'NEEDS_CONTEXT'].find(
    (known) => known === value['status'],
  ) as PhaseStatus | undefined;
  const files = isRecord(value['files'])
    ? Object.fromEntries(Object.entries(value['files']).map(([file, text]) => [file, String(text)]))
    : {};
  const answer: PhaseAnswer = {
    status: status ?? 'DONE',
    summary: String(value['summary'] ?? ''),
    outputs,
    files,
  };
  if (answer.status === 'BLOCKED' || answer.status === 'NEEDS_CONTEXT') {
    return { answer, problems: [`The phase reports ${answer.status}: ${answer.summary.slice(0, 300)}`] };
  }
  const problems = phase.variables
    .filter((name) => isEmpty(outputs[name]))
    .map((name) => `The output ${name} is ${name in outputs ? 'empty' : 'missing'}.`);
  return { answer, problems };
}

export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return value.trim() === '';
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

/** `.workflow/{sessionId}/plan.json` with the values that are known; undefined while a part is not. */
export function expandPath(file: string, values: Readonly<Record<string, unknown>>): string | undefined {
  let complete = true;
  const expanded = file.replace(/\{([A-Za-z_]\w*)\}/g, (whole, name: string) => {
    const value = values[name];
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    complete = false;
    return whole;
  });
  return complete ? expanded : undefined;
}
