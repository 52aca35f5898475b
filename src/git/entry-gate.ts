/** L-106: what the gate is told. It asks nobody. */
export type GateInput =
  | ({ mode: 'design'; branchInfoSupplied: boolean } & GateFacts)
  | ({ mode: 'implement' } & GateFacts);

type GateFacts = { currentBranch: string; isMain: boolean; isUserBranch: boolean; userPrefix: string };

export type GateDecision = { entryGate: 'continue' | 'strict'; skipBranchCheck: boolean };

/** L-107, L-111: a person's own branch, or facts a caller vouches for, may start as they are; everything else is strict. */
export function entryGate(input: GateInput): GateDecision {
  const open = input.isUserBranch || (input.mode === 'design' && input.branchInfoSupplied);
  return open
    ? { entryGate: 'continue', skipBranchCheck: true }
    : { entryGate: 'strict', skipBranchCheck: false };
}

export type GateReport = { exit: 0 | 4; stdout: string; stderr: string };

const flags = [
  '--mode',
  '--current-branch',
  '--is-main',
  '--is-user-branch',
  '--user-prefix',
  '--branch-info-supplied',
] as const;
type Flag = (typeof flags)[number];

/** L-108: the gate as a command; presence of flags is checked before their content. */
export function entryGateReport(argv: readonly string[]): GateReport {
  const parsed = parseFlags(argv);
  if (typeof parsed === 'string') return refuse(parsed);
  const problem = missingFlag(parsed) ?? badValue(parsed);
  if (problem !== undefined) return refuse(problem);
  const facts = {
    currentBranch: parsed.get('--current-branch') ?? '',
    isMain: parsed.get('--is-main') === 'true',
    isUserBranch: parsed.get('--is-user-branch') === 'true',
    userPrefix: parsed.get('--user-prefix') ?? '',
  };
  const decision =
    parsed.get('--mode') === 'design'
      ? entryGate({
          mode: 'design',
          branchInfoSupplied: parsed.get('--branch-info-supplied') === 'true',
          ...facts,
        })
      : entryGate({ mode: 'implement', ...facts });
  return {
    exit: 0,
    stdout: `ENTRY_GATE=${decision.entryGate}\nSKIP_BRANCH_CHECK=${decision.skipBranchCheck}\n`,
    stderr: '',
  };
}

/** L-112 */
export const gateFailureMessage =
  '⚠ /design: internal Step 0 contract violation in session-entry-gate.sh. Aborting.';

function refuse(text: string): GateReport {
  return { exit: 4, stdout: '', stderr: `GATE_ERROR=${text}\n` };
}

function parseFlags(argv: readonly string[]): Map<Flag, string> | string {
  const values = new Map<Flag, string>();
  for (let index = 0; index < argv.length; index += 2) {
    const flag = flags.find((each) => each === argv[index]);
    if (!flag) return `unknown flag: ${argv[index]}`;
    const value = argv[index + 1];
    if (value === undefined) return `missing value for ${flag}`;
    values.set(flag, value);
  }
  return values;
}

function missingFlag(values: ReadonlyMap<Flag, string>): string | undefined {
  const needed = flags.filter(
    (flag) => flag !== '--branch-info-supplied' || values.get('--mode') !== 'implement',
  );
  const missing = needed.find((flag) => !values.has(flag));
  return missing && `missing required flag: ${missing}`;
}

function badValue(values: ReadonlyMap<Flag, string>): string | undefined {
  const mode = values.get('--mode');
  if (mode !== 'design' && mode !== 'implement') return `invalid mode: ${mode}`;
  if (mode === 'implement' && values.has('--branch-info-supplied'))
    return '--branch-info-supplied is only for mode design';
  const notTruth = (['--is-main', '--is-user-branch', '--branch-info-supplied'] as const).find(
    (flag) => values.has(flag) && !['true', 'false'].includes(values.get(flag) ?? ''),
  );
  if (notTruth) return `${notTruth} must be true or false`;
  return values.get('--user-prefix') === '' ? '--user-prefix must not be empty' : undefined;
}
