import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Agent, CallContext, LaneKind, LaneResult } from '../../agents/port.ts';
import { writeJsonAtomic } from '../../base/files/atomic.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import { compose, type PromptDraft, seededNonce, words } from '../part.ts';

/** T-115: four things an agent must show before its sessions are continued. */
export type ProbeFacts = {
  /** A session id came back from a call that read a file. */
  agentId: string | undefined;
  usedTools: boolean;
  /** The error of the continued call, if any. */
  resumeError: string | undefined;
  /** First line of the file that was read, and how the continued session quoted it. */
  firstLine: string;
  quotedLine: string;
  /** Issues in the first answer, and how many the continued session says there were. */
  issueCount: number;
  statedIssueCount: number | undefined;
};

/** `passing` failures (no login, no network) say nothing about the agent and are not remembered. */
export type ProbeResult = { passed: true } | { passed: false; reason: string; passing?: boolean };

type Check = { id: string; failure: (facts: ProbeFacts) => string | undefined };

const checks: readonly Check[] = [
  {
    id: 'V1',
    failure: ({ agentId, usedTools }) => {
      if (agentId === undefined || agentId === '') return 'no agent id came back';
      return usedTools ? undefined : 'the first call did not read the file';
    },
  },
  { id: 'V2', failure: ({ resumeError }) => resumeError },
  {
    id: 'V3',
    failure: ({ firstLine, quotedLine }) =>
      quotes(quotedLine, firstLine.trim()) ? undefined : 'the line was not repeated verbatim',
  },
  {
    id: 'V4',
    failure: ({ issueCount, statedIssueCount }) =>
      issueCount === statedIssueCount
        ? undefined
        : `${String(statedIssueCount)} issues remembered, there were ${issueCount}`,
  },
];

/** The answer has the line, and the line ends there. */
function quotes(answer: string, line: string): boolean {
  if (line === '') return false;
  return answer
    .split(line)
    .slice(1)
    .some((rest) => !/^[\p{L}\p{N}_]/u.test(rest));
}

/** T-115, T-116: all four must hold; the reason names the first that did not, as `.meta.json` keeps it. */
export function evaluateProbe(facts: ProbeFacts): ProbeResult {
  for (const { id, failure } of checks) {
    const reason = failure(facts);
    if (reason !== undefined) return { passed: false, reason: `${id}: ${reason}` };
  }
  return { passed: true };
}

/** What is remembered about an agent; another version has to be probed again. */
export type ProbeMemory = Readonly<Record<string, { version: string; result: ProbeResult; time: string }>>;

export function rememberedProbe(
  memory: ProbeMemory,
  agent: string,
  version: string,
): ProbeResult | undefined {
  const entry = Object.hasOwn(memory, agent) ? memory[agent] : undefined;
  return entry?.version === version ? entry.result : undefined;
}

/** What probing showed about the agents of this machine, by agent and version. */
export const probeMemoryFile = path.join('.charrette', 'resume-probes.json');

/** Whether an agent's sessions can be continued: from memory, or by probing once for its version. */
export async function resumeAbility(
  root: string,
  agent: { id: string; version: string },
  probe: () => Promise<ProbeResult>,
  time: string,
): Promise<ProbeResult> {
  const memory = await readProbeMemory(root);
  const known = rememberedProbe(memory, agent.id, agent.version);
  if (known !== undefined) return known;
  const result = await probe();
  if (!result.passed && result.passing === true) return result;
  const entry = { version: agent.version, result, time };
  await writeJsonAtomic(path.join(root, probeMemoryFile), { v: 1, agents: { ...memory, [agent.id]: entry } });
  return result;
}

/** A file that cannot be read means that nothing is known; probing again is harmless. */
export async function readProbeMemory(root: string): Promise<ProbeMemory> {
  const text = await readTextFile(path.join(root, probeMemoryFile), 1024 * 1024).catch(() => undefined);
  const reading = text === undefined ? undefined : readJson(text);
  if (reading?.ok !== true || !isRecord(reading.value) || !isRecord(reading.value['agents'])) return {};
  const entries = Object.entries(reading.value['agents']).flatMap(([agent, entry]) => {
    const result = isRecord(entry) ? resultOf(entry['result']) : undefined;
    if (!isRecord(entry) || result === undefined || typeof entry['version'] !== 'string') return [];
    return [[agent, { version: entry['version'], result, time: String(entry['time'] ?? '') }] as const];
  });
  return Object.fromEntries(entries);
}

function resultOf(value: unknown): ProbeResult | undefined {
  if (!isRecord(value)) return undefined;
  if (value['passed'] === true) return { passed: true };
  return value['passed'] === false
    ? { passed: false, reason: String(value['reason'] ?? 'unknown') }
    : undefined;
}

type ProbeSetting = CallContext & {
  /** A folder the agent may read in; the probe puts one small file there. */
  directory: string;
  laneDirectory: string;
  /** What the first line of the file says; unlike anything the agent could guess. */
  token: string;
  /** Notified of every call, because calls cost money. */
  onResult?: (result: LaneResult, attempt: number) => void;
};

/** Ends of a call that another day would not have. */
const passing: readonly LaneKind[] = [
  'auth',
  'rate_limit',
  'network',
  'timeout',
  'cancelled',
  'limit',
  'unhealthy',
];

const limits = { wallMs: 180_000, idleMs: 90_000, turns: 8 };
const issueCount = 3;

const firstSchema = {
  type: 'object',
  properties: { issues: { type: 'array', items: { type: 'string' } } },
  required: ['issues'],
  additionalProperties: false,
};
const secondSchema = {
  type: 'object',
  properties: { firstLine: { type: 'string' }, issueCount: { type: 'integer' } },
  required: ['firstLine', 'issueCount'],
  additionalProperties: false,
};

/** T-115: reads a file in one call, continues the session in another, and asks what only the first one could know. */
export async function probeResume(agent: Agent, setting: ProbeSetting): Promise<ProbeResult> {
  if (!agent.capabilities.resume) return { passed: false, reason: 'V1: the agent does not offer sessions' };
  const firstLine = `# Probe ${setting.token}`;
  const file = path.join(setting.directory, `resume-probe-${setting.token}.md`);
  await writeFile(file, `${firstLine}\n\nThis file has three spelling mistakes: teh, recieve, seperate.\n`);
  try {
    return await questions(agent, setting, file, firstLine);
  } finally {
    await rm(file, { force: true });
  }
}

async function questions(
  agent: Agent,
  setting: ProbeSetting,
  file: string,
  firstLine: string,
): Promise<ProbeResult> {
  const first = await call(agent, setting, 1, firstQuestion(file), firstSchema);
  if (passing.includes(first.kind)) return passingFailure('V1', first);
  const issues =
    isRecord(first.value) && Array.isArray(first.value['issues']) ? first.value['issues'].length : 0;
  const facts = {
    agentId: first.kind === 'ok' ? first.session : undefined,
    usedTools: first.toolCalls > 0,
    firstLine,
    issueCount: issues,
  };
  if (facts.agentId === undefined) {
    return evaluateProbe({ ...facts, resumeError: undefined, quotedLine: '', statedIssueCount: undefined });
  }
  const second = await call(agent, setting, 2, secondQuestion, secondSchema, facts.agentId);
  if (passing.includes(second.kind)) return passingFailure('V2', second);
  const value = isRecord(second.value) ? second.value : {};
  return evaluateProbe({
    ...facts,
    resumeError: second.kind === 'ok' ? undefined : (second.message ?? second.kind),
    quotedLine: String(value['firstLine'] ?? ''),
    statedIssueCount: typeof value['issueCount'] === 'number' ? value['issueCount'] : undefined,
  });
}

function passingFailure(id: string, { kind, message }: LaneResult): ProbeResult {
  return { passed: false, reason: `${id}: ${message ?? kind}`, passing: true };
}

async function call(
  agent: Agent,
  { directory, laneDirectory, signal, onEvent, token, onResult }: ProbeSetting,
  attempt: number,
  draft: PromptDraft,
  schema: typeof firstSchema | typeof secondSchema,
  session?: string,
): Promise<LaneResult> {
  const result = await agent.call(
    {
      task: 'resume-probe',
      run: 'probe',
      seat: agent.id,
      attempt,
      prompt: compose(draft, { nonce: seededNonce(token) }).text,
      directory,
      access: 'read',
      limits,
      schema,
      laneDirectory,
      ...(session === undefined ? {} : { resume: { session, fork: false } }),
    },
    { signal, onEvent },
  );
  onResult?.(result, attempt);
  return result;
}

function firstQuestion(file: string): PromptDraft {
  return {
    task: 'resume-probe',
    fixed: [
      words('ask', `Read the file ${file} and list its ${issueCount} spelling mistakes, one item each.`),
    ],
    answer: { kind: 'json', schema: firstSchema },
    changing: [],
  };
}

const secondQuestion: PromptDraft = {
  task: 'resume-probe',
  fixed: [
    words(
      'ask',
      'Without opening any file: repeat the first line of the file you read, verbatim, and say how many issues you listed.',
    ),
  ],
  answer: { kind: 'json', schema: secondSchema },
  changing: [],
};
