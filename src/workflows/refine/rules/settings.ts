import { CharretteError } from '../../../base/errors.ts';
import { isRecord } from '../../../base/safe-json.ts';
import { readSettings, type SettingsSource } from '../../../prompts/context/settings.ts';
import { defaultBundleVersions, versionText } from '../import/bundle-format.ts';

type SeatCandidate = { id: string; family: string; canWrite: boolean };
/** `related`: both seats are of one family. */
export type LoopSeats = { builder: string; evaluator: string; related: boolean };

/** Who builds and who judges: named agents, else the first that can write, and a judge of another family. */
export function seatLoop(
  agents: readonly SeatCandidate[],
  requested: { builder?: string | undefined; evaluator?: string | undefined },
): LoopSeats {
  const builder = find(agents, requested.builder, 'builder', ({ canWrite }) => canWrite);
  const others = [...agents].sort(
    (a, b) => Number(a.family === builder.family) - Number(b.family === builder.family),
  );
  const evaluator = find(others, requested.evaluator, 'evaluator', ({ family }) => family !== 'static');
  return { builder: builder.id, evaluator: evaluator.id, related: builder.family === evaluator.family };
}

function find(
  agents: readonly SeatCandidate[],
  requested: string | undefined,
  seat: string,
  fits: (agent: SeatCandidate) => boolean,
): SeatCandidate {
  const fitting = agents.filter(fits);
  const found = requested === undefined ? fitting[0] : fitting.find(({ id }) => id === requested);
  if (found !== undefined) return found;
  throw new CharretteError({
    code: 'agent-not-found',
    message: `${requested === undefined ? 'No agent here' : JSON.stringify(requested)} can be the ${seat}; agents that can: ${fitting.map(({ id }) => id).join(', ') || 'none'}.`,
    fix: 'Install or declare an agent (`charrette doctor`), or choose one with --builder and --evaluator.',
  });
}

type ImportSettings = { dir: string; versions: readonly string[] };

/** Where imports go and which bundles are read: `design.claude_design.supported_bundle_versions`. */
export function readImportSettings(source: SettingsSource): ImportSettings {
  const { settings } = readSettings(source);
  const design = source.kind === 'value' && isRecord(source.value) ? source.value['design'] : undefined;
  const section = isRecord(design) ? design['claude_design'] : undefined;
  const listed = isRecord(section) ? section['supported_bundle_versions'] : undefined;
  const versions = Array.isArray(listed)
    ? listed.map(versionText).filter((version) => version !== undefined)
    : [];
  return { dir: settings.dir, versions: versions.length > 0 ? versions : defaultBundleVersions };
}

export const harnessLevels = ['minimal', 'standard', 'thorough'] as const;
export type HarnessLevel = (typeof harnessLevels)[number];

/** How the loop runs; `design.gan_loop` in the design settings. */
export type LoopSettings = {
  maxIterations: number;
  passThreshold: number;
  /** A person is asked after so many failed iterations, whatever else is decided. */
  escalationAfter: number;
  /** A smaller gain does not count as an improvement. */
  improvementThreshold: number;
  strict: boolean;
  contract: { enabled: boolean; directory: string; maxNegotiationRounds: number };
};

export const defaultLoopSettings: LoopSettings = {
  maxIterations: 5,
  passThreshold: 0.75,
  escalationAfter: 3,
  improvementThreshold: 0.05,
  strict: false,
  contract: { enabled: true, directory: '.moai/sprints', maxNegotiationRounds: 2 },
};

/** No setting and no flag goes below this: a lower bar accepts anything. */
const thresholdFloor = 0.6;

export function readLoopSettings(source: SettingsSource): LoopSettings {
  const design = source.kind === 'value' && isRecord(source.value) ? source.value['design'] : undefined;
  const loop = isRecord(design) && isRecord(design['gan_loop']) ? design['gan_loop'] : {};
  const contract = isRecord(loop['sprint_contract']) ? loop['sprint_contract'] : {};
  const fallback = defaultLoopSettings;
  checkMemoryScope(loop);
  return checkSettings({
    maxIterations: whole(loop, 'max_iterations', fallback.maxIterations),
    passThreshold: share(loop, 'pass_threshold', fallback.passThreshold),
    escalationAfter: whole(loop, 'escalation_after', fallback.escalationAfter),
    improvementThreshold: share(loop, 'improvement_threshold', fallback.improvementThreshold),
    strict: flag(loop, 'strict_mode', fallback.strict),
    contract: {
      enabled: flag(contract, 'enabled', fallback.contract.enabled),
      directory: text(contract, 'artifact_dir', fallback.contract.directory),
      maxNegotiationRounds: whole(
        contract,
        'max_negotiation_rounds',
        fallback.contract.maxNegotiationRounds,
        0,
      ),
    },
  });
}

/** Refuses a bar below the floor; also for values that flags gave. */
export function checkSettings(settings: LoopSettings): LoopSettings {
  if (settings.passThreshold >= thresholdFloor) return settings;
  throw new CharretteError({
    code: 'pass-threshold-floor',
    message: `The pass threshold is ${settings.passThreshold}; it cannot be below ${thresholdFloor.toFixed(2)}.`,
    fix: `Set design.gan_loop.pass_threshold or --threshold to ${thresholdFloor.toFixed(2)} or more.`,
  });
}

/** An evaluator that remembers earlier rounds judges its own words, so no setting allows it. */
function checkMemoryScope(loop: Record<string, unknown>): void {
  const evaluator = isRecord(loop['evaluator']) ? loop['evaluator'] : {};
  const scope = evaluator['memory_scope'] ?? loop['memory_scope'] ?? 'per_iteration';
  if (scope === 'per_iteration') return;
  throw new CharretteError({
    code: 'HRN_EVAL_MEMORY_FROZEN',
    message: `memory_scope is ${JSON.stringify(scope)}; evaluators are fresh in every iteration (per_iteration).`,
    fix: 'Remove memory_scope from the design settings.',
  });
}

/** Whether builder and evaluator agree on a contract first: always when thorough, when wanted otherwise. */
export function negotiates(
  level: HarnessLevel,
  wanted: boolean | undefined,
  settings: LoopSettings,
): boolean {
  if (!settings.contract.enabled || level === 'minimal') return false;
  return level === 'thorough' || wanted === true;
}

function whole(keys: Record<string, unknown>, name: string, fallback: number, least = 1): number {
  const value = keys[name] ?? fallback;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= 100) return value;
  throw wrong(name, value, `a whole number from ${least} to 100`);
}

function share(keys: Record<string, unknown>, name: string, fallback: number): number {
  const value = keys[name] ?? fallback;
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number === 'number' && number >= 0 && number <= 1) return number;
  throw wrong(name, value, 'a number from 0 to 1');
}

function flag(keys: Record<string, unknown>, name: string, fallback: boolean): boolean {
  const value = keys[name] ?? fallback;
  if (typeof value === 'boolean') return value;
  throw wrong(name, value, 'true or false');
}

function text(keys: Record<string, unknown>, name: string, fallback: string): string {
  const value = keys[name] ?? fallback;
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw wrong(name, value, 'a folder below the project');
}

function wrong(name: string, value: unknown, takes: string): CharretteError {
  return new CharretteError({
    code: 'config-invalid',
    message: `design.gan_loop ${name} is ${JSON.stringify(value)}; it takes ${takes}.`,
  });
}
