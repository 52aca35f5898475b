import type { JsonSchema } from '../../agents/port.ts';
import { isRecord } from '../../base/safe-json.ts';
import { delimit, seededNonce, untrustedRule } from '../../prompts/part.ts';
import { isOnScale, scaleWords } from '../model/condition.ts';
import { type OutputSchema, type OutputSchemas, schemaOfFile } from './outputs.ts';
import type { RunPhase } from './run-plan.ts';

const statuses = ['DONE', 'DONE_WITH_CONCERNS', 'BLOCKED', 'NEEDS_CONTEXT', 'FAILED'] as const;

export type PhaseStatus = (typeof statuses)[number];

/** What a phase returns: values of its variables, contents of files it could not write itself, a summary. */
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
  /** Problems of the last attempt. */
  problems: readonly string[];
  /** Schemas of outputs, by name. */
  schemas: OutputSchemas;
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
    ...phase.variables.map(
      (name) => `- the value \`${name}\`${scaleOf(phase, name)}${shape(schemas.get(name))}`,
    ),
    ...phase.files.map((file) => `- the file \`${file}\`${shape(schemaOfFile(schemas, file))}`),
  ];
  return [
    `You run phase ${phase.number} (${phase.name}) of the workflow ${skill} in the current directory. The coordinator is a program: it keeps the todo list, asks people and starts the next phase. Do this phase only.`,
    untrustedRule,
    delimit({ tag: 'task', content: task }, nonce),
    `Preferences (workflowPreferences): ${JSON.stringify(preferences)}`,
    delimit({ tag: 'inputs', content: JSON.stringify(inputs, null, 2) }, nonce),
    ...(problems.length === 0
      ? []
      : [`The last attempt was not accepted:\n${problems.map((problem) => `- ${problem}`).join('\n')}`]),
    'Answer with one JSON object: "status" (DONE, DONE_WITH_CONCERNS, BLOCKED, NEEDS_CONTEXT or FAILED), "summary" (two or three sentences), "outputs" (an object with the values below), "files" (path to content, only for files that you could not write yourself).',
    expected.length === 0
      ? 'This phase has no declared outputs.'
      : `It must produce:\n${expected.join('\n')}`,
    `The phase document, ${phase.file}:`,
    document.trimEnd(),
    '',
  ].join('\n\n');
}

/** The scale on which a condition orders a value. */
function scaleOf({ ordered }: RunPhase, name: string): string {
  const found = ordered.find(({ path }) => path === name);
  return found === undefined ? '' : `, ${scaleWords[found.scale]}`;
}

/** How an output must look, when the package says so. */
function shape(found: OutputSchema | undefined): string {
  return found === undefined ? '' : `, which must fit this JSON Schema: ${JSON.stringify(found.schema)}`;
}

export function phaseSchema({ variables }: RunPhase, schemas: OutputSchemas): JsonSchema {
  return {
    type: 'object',
    required: ['status', 'summary', 'outputs'],
    properties: {
      status: { enum: [...statuses] },
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

/** A declared value that is missing, empty or off the scale of a condition is a problem; undeclared ones are ignored. */
export function readPhaseAnswer(value: unknown, phase: RunPhase): PhaseReading {
  if (!isRecord(value) || !isRecord(value['outputs']))
    return { answer: undefined, problems: ['The answer is not a JSON object with "outputs".'] };
  const outputs = Object.fromEntries(
    Object.entries(value['outputs']).filter(([name]) => phase.gives.includes(name)),
  );
  const status = readStatus(value['status']);
  if (status === undefined) {
    const found = (JSON.stringify(value['status']) ?? 'missing').slice(0, 100);
    return {
      answer: undefined,
      problems: [`The status is ${found}; it must be one of ${statuses.join(', ')}.`],
    };
  }
  const files = isRecord(value['files'])
    ? Object.fromEntries(Object.entries(value['files']).map(([file, text]) => [file, String(text)]))
    : {};
  const answer: PhaseAnswer = {
    status,
    summary: String(value['summary'] ?? ''),
    outputs,
    files,
  };
  if (status === 'BLOCKED' || status === 'NEEDS_CONTEXT' || status === 'FAILED') {
    return { answer, problems: [`The phase reports ${status}: ${answer.summary.slice(0, 300)}`] };
  }
  const problems = phase.variables
    .filter((name) => isEmpty(outputs[name]))
    .map((name) => `The output ${name} is ${name in outputs ? 'empty' : 'missing'}.`);
  return { answer, problems: [...problems, ...offScale(phase, outputs)] };
}

/** Spelling differs between agents, meaning does not: `failed` is FAILED. */
function readStatus(value: unknown): PhaseStatus | undefined {
  if (typeof value !== 'string') return undefined;
  const spelt = value
    .trim()
    .toUpperCase()
    .replaceAll(/[\s-]+/g, '_');
  return statuses.find((status) => status === spelt);
}

function offScale({ ordered }: RunPhase, outputs: Readonly<Record<string, unknown>>): string[] {
  const found = ordered.flatMap(({ path, scale }) => {
    const value = valueAt(path, outputs);
    if (isEmpty(value) || isOnScale(value, scale)) return [];
    const shown = (JSON.stringify(value) ?? '').slice(0, 100);
    return [`The output ${path} is ${shown}; conditions order it, so it is ${scaleWords[scale]}.`];
  });
  return [...new Set(found)];
}

/** The value at a dotted path. */
export function valueAt(path: string, values: Readonly<Record<string, unknown>>): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    const exists = isRecord(value) && Object.hasOwn(value, key);
    return exists ? value[key] : undefined;
  }, values);
}

export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return value.trim() === '';
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

/** `.workflow/{sessionId}/plan.json` with its values; undefined while one is missing. */
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
