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
