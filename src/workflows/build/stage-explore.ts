import type { Exploration } from '../../base/schema/judgements/lite.ts';
import type { Complexity } from '../../base/schema/lite/plan.ts';
import type { Manifest } from '../../base/schema/lite/session-files.ts';
import { type ExplorationFile, explorationFileSchema } from '../../base/schema/lite/session-files.ts';
import { type HandoffSpec, readHandoffSpec } from '../../plan/tasks/handoff-spec.ts';
import type { LiteDesk } from './desk.ts';
import { assessComplexity, decideExploration, pickAngles } from './rules/explore-decision.ts';
import { explorePrompt } from './rules/prompts.ts';

export type Explored = { angle: string; exploration: Exploration };

export type ExploreResult = {
  complexity: Complexity;
  handoff: HandoffSpec | undefined;
  explored: Explored[];
  skipped: boolean;
};

/** LP-1: parallel looks from angles that the program picks; one that fails is dropped and named (P-040…P-049). */
export async function exploreStage(desk: LiteDesk, forceExplore: boolean): Promise<ExploreResult> {
  desk.begin('LP-1', 'explore');
  const { task, session, expectedReading } = desk.inputs;
  const complexity = assessComplexity(task);
  const handoff = readHandoffSpec(task);
  const decision = decideExploration({ forceExplore, task, expectedReading, handoff });
  if (!decision.explore) {
    desk.skip(decision.reason);
    return { complexity, handoff, explored: [], skipped: true };
  }
  const { preset, angles } = pickAngles(task, complexity);
  desk.note(`complexity ${complexity}; ${preset} angles: ${angles.join(', ')} (${decision.reason})`);
  const time = desk.time;
  const replies = await desk.askAgents(
    angles.map((angle, index) => ({
      key: `explore-${angle}`,
      kind: 'explore',
      judgement: 'exploration' as const,
      agents: desk.chain(index),
      draft: (schema) =>
        explorePrompt({
          commission: desk.commission('plan'),
          angle,
          index: index + 1,
          total: angles.length,
          schema,
        }),
      facts: { angle },
    })),
  );
  const explored: Explored[] = [];
  for (const [index, reply] of replies.entries()) {
    const angle = angles[index] ?? '';
    const file =
      reply.value === undefined
        ? undefined
        : fileOf(reply.value, task, time, angle, index + 1, angles.length);
    if (reply.value === undefined || file === undefined) {
      desk.warn(`The angle ${angle} is missing: ${reply.message ?? reply.kind}.`);
      continue;
    }
    explored.push({ angle, exploration: reply.value });
    await desk.json(`exploration-${angle}.json`, file);
  }
  await desk.json('explorations-manifest.json', manifestOf(explored, { session, task, time, complexity }));
  desk.end(`${explored.length} of ${angles.length} angles`);
  return { complexity, handoff, explored, skipped: false };
}

function fileOf(
  exploration: Exploration,
  task: string,
  timestamp: string,
  angle: string,
  index: number,
  total: number,
): ExplorationFile | undefined {
  const reading = explorationFileSchema.safeParse({
    ...exploration,
    relevant_files: exploration.relevant_files
      .filter(({ rationale }) => rationale.length >= 10)
      .map(({ relevance, ...file }) => ({ ...file, relevance: relevance / 100 })),
    clarification_needs: exploration.clarification_needs.map(({ recommended, ...need }) => ({
      ...need,
      ...(recommended === null ? {} : { recommended }),
    })),
    _metadata: {
      timestamp,
      task_description: task,
      source: 'cli-explore-agent',
      exploration_angle: angle,
      exploration_index: index,
      total_explorations: total,
    },
  });
  return reading.success ? reading.data : undefined;
}

function manifestOf(
  explored: readonly Explored[],
  {
    session,
    task,
    time,
    complexity,
  }: { session: string; task: string; time: string; complexity: Complexity },
): Manifest {
  return {
    session_id: session,
    task_description: task,
    timestamp: time,
    complexity,
    exploration_count: explored.length,
    explorations: explored.map(({ angle }, index) => {
      const file = `exploration-${angle}.json`;
      return { angle, file, path: file, index: index + 1 };
    }),
  };
}
