import { isRecord, readJson } from '../../base/safe-json.ts';
import { type BackwardFinding, type BackwardTrip, readBackwardRequest } from './archive.ts';

/** The content of `.meta.json`, from any program that wrote it. */
export type FeatureMeta = {
  id?: string;
  slug?: string;
  mode?: 'standard' | 'full' | 'light';
  status?: FeatureStatus;
  created?: string;
  completed?: string;
  branch?: string;
  brainstormSource?: string;
  backlogSource?: string;
  projectId?: string;
  module?: string;
  dependsOnFeatures: readonly string[];
  lastCompletedPhase?: string;
  skippedPhases: readonly SkippedPhase[];
  phases: Readonly<Record<string, PhaseMeta>>;
  /** §2F: what an earlier phase was gone back to for. */
  backwardContext?: BackwardContext;
  /** The phase that comes again when the earlier ones are through. */
  backwardReturnTarget?: string;
  backwardTrips: readonly BackwardTrip[];
  /** Where the code is that the last completed implementation left. */
  implementation?: Implementation;
};

/** The branch of a run, and the commit it ended at. */
export type Implementation = { branch: string; tip: string };

export type BackwardContext = {
  sourcePhase?: string;
  targetPhase?: string;
  reason?: string;
  findings: readonly BackwardFinding[];
};

export const featureStatuses = ['planned', 'active', 'completed', 'abandoned'] as const;
export type FeatureStatus = (typeof featureStatuses)[number];

export type SkippedPhase = { phase: string; skippedAt?: string; fromPhase?: string; toPhase?: string };

export type PhaseMeta = {
  started?: string;
  completed?: string;
  iterations?: number;
  /** How its last review ended, where that is not an approval. */
  outcome?: PhaseVerdict;
  reviewerNotes: readonly ReviewerNote[];
};

/** `carried-forward`: completed with open issues at the end of its rounds. `rejected`: reviewed and not completed. */
const phaseVerdicts = ['carried-forward', 'rejected'] as const;
export type PhaseVerdict = (typeof phaseVerdicts)[number];

export type ReviewerNote = { severity: string; description: string };

/** `raw` keeps everything, so that writing it back loses nothing. */
export type MetaReading = {
  meta: FeatureMeta;
  raw: Readonly<Record<string, unknown>>;
  problems: readonly string[];
};

const emptyMeta: FeatureMeta = { dependsOnFeatures: [], skippedPhases: [], phases: {}, backwardTrips: [] };

/** Reads the state file of a feature in every form in which it was ever written; unreadable parts are reported, not thrown. */
export function readMeta(text: string | undefined): MetaReading {
  if (text === undefined) return { meta: emptyMeta, raw: {}, problems: ['.meta.json is missing'] };
  const reading = readJson(text);
  if (!reading.ok) {
    return { meta: emptyMeta, raw: {}, problems: [`.meta.json is not valid JSON: ${reading.message}`] };
  }
  if (!isRecord(reading.value)) {
    return { meta: emptyMeta, raw: {}, problems: ['.meta.json does not hold an object'] };
  }
  const raw = withPresentNames(reading.value);
  const problems: string[] = [];
  const mode = oneOf(['standard', 'full', 'light'] as const, raw['mode'], 'mode', problems);
  const status = oneOf(featureStatuses, raw['status'], 'status', problems);
  const phases = readPhases(raw['phases'], problems);
  return {
    meta: {
      ...texts(raw, {
        id: 'id',
        slug: 'slug',
        created: 'created',
        completed: 'completed',
        branch: 'branch',
        brainstormSource: 'brainstorm_source',
        backlogSource: 'backlog_source',
        projectId: 'project_id',
        module: 'module',
        lastCompletedPhase: 'lastCompletedPhase',
        backwardReturnTarget: 'backward_return_target',
      }),
      ...(mode === undefined ? {} : { mode }),
      ...(status === undefined ? {} : { status }),
      dependsOnFeatures: textList(raw['depends_on_features']),
      skippedPhases: readSkipped(raw['skippedPhases']),
      phases,
      ...readBackwardContext(raw['backward_context']),
      backwardTrips: readTrips(raw['backward_trips']),
      ...readImplementation(raw['implementation']),
    },
    raw,
    problems,
  };
}

const earlierNames: Readonly<Record<string, string>> = { 'create-plan': 'plan', 'create-tasks': 'tasks' };
const namingKeys = ['lastCompletedPhase', 'phase', 'fromPhase', 'toPhase', 'from', 'to'];
const backwardKeys = ['source_phase', 'target_phase', 'backward_return_target'];

/** Files of other tools call two phases create-plan and create-tasks. */
function withPresentNames(raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const rename = (value: unknown): unknown => {
    if (typeof value === 'string') return earlierNames[value] ?? value;
    if (Array.isArray(value)) return value.map(rename);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        const isName = typeof inner === 'string' && [...namingKeys, ...backwardKeys].includes(key);
        return [key, isName ? (earlierNames[inner] ?? inner) : inner];
      }),
    );
  };
  const renamed = rename(raw) as Record<string, unknown>;
  for (const key of ['skippedPhases', 'backward_context', 'backward_trips'])
    if (key in renamed) renamed[key] = rename(renamed[key]);
  if (isRecord(raw['phases']))
    renamed['phases'] = Object.fromEntries(
      Object.entries(raw['phases']).map(([phase, record]) => [earlierNames[phase] ?? phase, record]),
    );
  return renamed;
}

function readBackwardContext(value: unknown): Pick<FeatureMeta, 'backwardContext'> {
  if (!isRecord(value)) return {};
  const request = readBackwardRequest({ backward_to: value['target_phase'], backward_context: value });
  const words = texts(value, { sourcePhase: 'source_phase', targetPhase: 'target_phase', reason: 'reason' });
  return { backwardContext: { ...words, findings: request?.findings ?? [] } };
}

function readImplementation(value: unknown): Pick<FeatureMeta, 'implementation'> {
  if (!isRecord(value)) return {};
  const { branch, tip } = texts(value, { branch: 'branch', tip: 'tip' });
  return branch === undefined || tip === undefined ? {} : { implementation: { branch, tip } };
}

function readTrips(value: unknown): BackwardTrip[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).flatMap((trip): BackwardTrip[] => {
    const [from, to, issues] = [textOf(trip['from']), textOf(trip['to']), countOf(trip['issues'])];
    return from === undefined || to === undefined ? [] : [{ from, to, issues: issues ?? 0 }];
  });
}

function texts<Name extends string>(
  raw: Readonly<Record<string, unknown>>,
  names: Readonly<Record<Name, string>>,
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  for (const [name, key] of Object.entries(names) as [Name, string][]) {
    const value = textOf(raw[key]);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/** Ids were written as numbers too; an empty text says nothing. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function oneOf<Value extends string>(
  allowed: readonly Value[],
  value: unknown,
  key: string,
  problems: string[],
): Value | undefined {
  if (value === undefined || value === null) return undefined;
  const lowered = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  const found = allowed.find((candidate) => candidate === lowered);
  if (found === undefined)
    problems.push(`${key} is ${JSON.stringify(value)}; known are ${allowed.join(', ')}`);
  return found;
}

function textList(value: unknown): string[] {
  return Array.isArray(value) ? value.map(textOf).filter((item) => item !== undefined) : [];
}

function readSkipped(value: unknown): SkippedPhase[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item): SkippedPhase[] => {
    if (typeof item === 'string') return [{ phase: item }];
    const phase = isRecord(item) ? textOf(item['phase']) : undefined;
    if (phase === undefined || !isRecord(item)) return [];
    return [
      { phase, ...texts(item, { skippedAt: 'skippedAt', fromPhase: 'fromPhase', toPhase: 'toPhase' }) },
    ];
  });
}

function readPhases(value: unknown, problems: string[]): Record<string, PhaseMeta> {
  if (value === undefined || value === null) return {};
  if (!isRecord(value)) {
    problems.push('phases is not an object');
    return {};
  }
  const phases: Record<string, PhaseMeta> = {};
  for (const [name, phase] of Object.entries(value)) {
    if (isRecord(phase)) phases[name] = readPhase(phase);
    else problems.push(`phases.${name} is not an object`);
  }
  return phases;
}

function readPhase(raw: Readonly<Record<string, unknown>>): PhaseMeta {
  const started = textOf(raw['started']) ?? textOf(raw['startedAt']);
  const completed = textOf(raw['completed']) ?? textOf(raw['completedAt']);
  const outcome = phaseVerdicts.find((verdict) => verdict === raw['outcome']);
  const iterations = countOf(raw['iterations']) ?? countOf(raw['reviewIterations']) ?? stageIterations(raw);
  return {
    ...(started === undefined ? {} : { started }),
    ...(completed === undefined ? {} : { completed }),
    ...(iterations === undefined ? {} : { iterations }),
    ...(outcome === undefined ? {} : { outcome }),
    reviewerNotes: readNotes(raw['reviewerNotes']),
  };
}

/** T-131: the number of a two-stage phase is the sum of both stages. */
function countOf(value: unknown): number | undefined {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return Math.floor(value);
  if (!isRecord(value)) return undefined;
  const numbers = Object.values(value)
    .map(countOf)
    .filter((count) => count !== undefined);
  return numbers.length === 0 ? undefined : numbers.reduce((sum, count) => sum + count, 0);
}

const stageKeys = [
  'planReview',
  'taskReview',
  'chainReview',
  'phaseReview',
  'specReview',
  'designReview',
  'handoffReview',
];

function stageIterations(raw: Readonly<Record<string, unknown>>): number | undefined {
  const stages = isRecord(raw['stages']) ? { ...raw, ...raw['stages'] } : raw;
  const counts = stageKeys
    .map((key) => stages[key as keyof typeof stages])
    .map((stage) => (isRecord(stage) ? countOf(stage['iterations']) : undefined))
    .filter((count) => count !== undefined);
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
}

function readNotes(value: unknown): ReviewerNote[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item): ReviewerNote[] => {
    if (typeof item === 'string') return [{ severity: 'suggestion', description: item }];
    if (!isRecord(item)) return [];
    const description = textOf(item['description']) ?? textOf(item['issue']) ?? textOf(item['note']);
    return description === undefined
      ? []
      : [{ severity: textOf(item['severity']) ?? 'suggestion', description }];
  });
}
