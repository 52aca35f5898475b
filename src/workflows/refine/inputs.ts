import path from 'node:path';
import type { RunDirectory } from '../../engine/run-directory.ts';
import type { RunInputs } from '../inputs.ts';
import type { BrandConflict } from './brand/conflicts.ts';
import type { Identity } from './brand/identity.ts';
import type { CalibrationEntry } from './rules/calibration.ts';
import type { Criterion } from './rules/contract.ts';
import type { Profile } from './rules/profiles.ts';
import type { LoopSettings } from './rules/settings.ts';

/** Path of the brief of a run; agents read the file, prompts never contain it. */
export function briefPathOf({ artifacts }: RunDirectory): string {
  return path.join(artifacts, 'brief.md');
}

/** What `refine` was asked to do, settled before the run starts. */
export type RefineInputs = RunInputs & {
  title: string;
  /** Names the contract: runs with the same id continue from its states. */
  contractId: string;
  baseCommit: string;
  /** Complete, as `brief.md` of the run has it. */
  brief: string;
  /** Design documents for the builder; the same by reference, with what the builder was shown, for the evaluator. */
  block: string;
  references: string;
  documents: { token: string; state: string; offset?: number; characters?: number }[];
  /** Acceptance criteria from the part of the documents that the builder was shown. */
  documentCriteria: string[];
  /** `code`: built from the documents. `import`: built from an imported bundle, without them. */
  path: 'code' | 'import';
  imported?: string;
  /** Texts that the page must have word for word. */
  copy: string[];
  brand?: { identity: Identity; documentConflicts: BrandConflict[]; tokenConflicts: BrandConflict[] };
  settings: LoopSettings;
  profile: Profile;
  negotiate: boolean;
  /** The page, below the project. */
  artifact: string;
  builder?: string;
  evaluator?: string;
  consented: boolean;
  merge: boolean;
  /** States that an earlier run of the same contract ended with. */
  earlier: Pick<Criterion, 'id' | 'criterion' | 'state'>[];
  calibration: CalibrationEntry[];
};
