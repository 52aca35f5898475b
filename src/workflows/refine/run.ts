import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { rewriteFileAtomic } from '../../base/files/atomic.ts';
import { containedPath } from '../../base/files/bounded.ts';
import type { Judgement, JudgementName } from '../../base/schema/judgements.ts';
import type { Question, Reply } from '../../council/council.ts';
import { briefPathOf, type RunInputs } from '../create-run.ts';
import { askConsent } from '../permission.ts';
import { StageDesk } from '../stage-desk.ts';
import type { BrandConflict, Identity } from './brand/identity.ts';
import type { Criterion } from './rules/contract.ts';
import type { Profile } from './rules/profiles.ts';
import type { CalibrationEntry } from './rules/score.ts';
import type { LoopSettings } from './rules/settings.ts';

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

/** What the stages of a refinement share. */
export class RefineRun extends StageDesk<RefineInputs> {
  /** Writes a file that outlives the run, below the project's folder for contracts. */
  keep(name: string, content: string): Promise<void> {
    const { project, settings } = this.inputs;
    return this.context.step(`keep ${name}`, async () =>
      rewriteFileAtomic(await containedPath(project, path.join(settings.contract.directory, name)), content),
    );
  }

  #keepsBuild = false;

  /** Where nothing landed, what git ignores may be all that was built. */
  keepBuild(ignored: readonly string[]): void {
    this.#keepsBuild = true;
    this.warn(`git ignores ${ignored.slice(0, 5).join(', ')}; kept in ${this.checkout('build')}.`);
  }

  get keepsBuild(): boolean {
    return this.#keepsBuild;
  }

  checkout(name: string): string {
    return path.join(this.context.live.directory.root, 'worktrees', name);
  }

  get briefPath(): string {
    return briefPathOf(this.context.live.directory);
  }

  /** Asks one agent; no usable answer ends the run with its reason. */
  async askOne<Name extends JudgementName>(
    agent: string,
    question: Question<Name>,
  ): Promise<{ value: Judgement<Name>; answer: Reply<Name> }> {
    const { key, kind } = question;
    const [answer] = await this.askAgents([{ ...question, agents: [agent] }]);
    if (answer?.value !== undefined) return { value: answer.value, answer };
    throw new CharretteError({
      code: 'author-failed',
      message: `${agent} gave no usable answer to ${kind}: ${answer?.message ?? answer?.kind ?? 'nothing'}.`,
      fix: `Read lanes/${key} of the run, then run \`charrette resume ${this.context.live.directory.id}\`, or choose another agent.`,
    });
  }

  askConsent(ids: readonly string[]): Promise<void> {
    const called = [...this.services.agents.values()].filter(({ id }) => ids.includes(id));
    return askConsent(this.context, called, {
      consented: this.inputs.consented,
      detail: 'The builder changes files in a separate checkout; the evaluator only reads.',
    });
  }
}
