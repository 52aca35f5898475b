import type { Complexity } from '../../../base/schema/lite/plan.ts';
import type { Angle } from '../../../base/schema/lite/session-files.ts';
import { pathsIn } from '../../../base/text/citations.ts';
import type { HandoffSpec } from '../../../plan/tasks/handoff-spec.ts';

const wide =
  /\b(?:architecture|migrat\w*|rewrite|redesign|refactor\w*|across|every(?:where)?|concurren\w*|distributed|database|schema|protocol|breaking|security|authentication|authorization|multi-\w+|end-to-end|whole)\b|架构|迁移|重构|重写|安全|数据库|并发|分布式/giu;
const trivial =
  /\b(?:typo|rename|bump|comment|wording|spelling|log (?:line|message)|constant|label|whitespace)\b|错别字|拼写|注释|重命名|常量/iu;

/** P-040: Low only for trivial work on one thing; in doubt Medium. */
export function assessComplexity(task: string): Complexity {
  const named = new Set(pathsIn(task).map(({ path }) => path)).size;
  const listed = task.match(/^[ \t]*(?:[-*]|\d+[.)])[ \t]+\S/gm)?.length ?? 0;
  const words = new Set((task.match(wide) ?? []).map((word) => word.toLowerCase())).size;
  const points =
    words +
    (task.length > 800 ? 1 : 0) +
    (named >= 4 ? 1 : 0) +
    (listed >= 4 ? 1 : 0) +
    (listed >= 8 ? 1 : 0);
  if (points >= 2) return 'High';
  if (points === 0 && trivial.test(task) && named <= 1 && listed <= 1 && task.length <= 160) return 'Low';
  return 'Medium';
}

export type ExploreFacts = {
  forceExplore: boolean;
  task: string;
  /** Characters that would have to be read. */
  expectedReading: number;
  handoff: HandoffSpec | undefined;
};

export type ExploreDecision = { explore: boolean; reason: string };

const delegateFrom = 50_000;
const priorAnalysis = /^#{1,6}\s*Prior Analysis\b/im;
const existingCode =
  /\b(?:fix|change|update|extend|refactor|rename|remove|replace|improve|add|support|migrate|integrate|let|allow|make|enable|show|existing|module|function|class|endpoint|api|component|test)\w*\b|修复|修改|更新|扩展|添加|重构/iu;

/** P-041: the first row that applies decides. */
export function decideExploration(facts: ExploreFacts): ExploreDecision {
  const { forceExplore, task, expectedReading, handoff } = facts;
  if (forceExplore) return { explore: true, reason: 'it was asked for' };
  if (expectedReading >= delegateFrom)
    return { explore: true, reason: `${expectedReading} characters would have to be read` };
  if (handoff?.source === 'brainstorm') return { explore: true, reason: 'a brainstorm was handed over' };
  if (handoff !== undefined || priorAnalysis.test(task))
    return { explore: false, reason: 'an analysis was handed over' };
  if (pathsIn(task).length > 0) return { explore: true, reason: 'the task names files' };
  if (existingCode.test(task)) return { explore: true, reason: 'the task changes existing code' };
  return { explore: false, reason: 'the task does not depend on the repository' };
}

/** P-042: presets, tried in this order; whole words only. */
export const anglePresets: readonly { name: string; test: RegExp; angles: readonly Angle[] }[] = [
  {
    name: 'architecture',
    test: /\b(?:architect\w*|refactor\w*|restructur\w*|modular\w*|redesign)\b|架构|重构|模块化/iu,
    angles: ['architecture', 'dependencies', 'modularity', 'integration-points'],
  },
  {
    name: 'security',
    test: /\b(?:security|secure|auth|authenticat\w*|authoriz\w*|permissions?|login|passwords?|tokens?|encrypt\w*)\b|安全|认证|授权|权限|登录|密码/iu,
    angles: ['security', 'auth-patterns', 'dataflow', 'validation'],
  },
  {
    name: 'performance',
    test: /\b(?:performance|slow|faster|speed|optimi[sz]\w*|caching|cache|latency|throughput)\b|性能|缓存|优化|慢/iu,
    angles: ['performance', 'bottlenecks', 'caching', 'data-access'],
  },
  {
    name: 'bugfix',
    test: /\b(?:fix(?:es|ed|ing)?|bugs?|errors?|crash\w*|broken|regression|fails?|failing)\b|修复|错误|崩溃|故障/iu,
    angles: ['error-handling', 'dataflow', 'state-management', 'edge-cases'],
  },
  {
    name: 'feature',
    test: /(?:)/u,
    angles: ['patterns', 'integration-points', 'testing', 'dependencies'],
  },
];

const angleCounts: Readonly<Record<Complexity, number>> = { Low: 1, Medium: 3, High: 4 };

/** P-042, P-043: the program picks the angles, not the agent. */
export function pickAngles(task: string, complexity: Complexity): { preset: string; angles: Angle[] } {
  const preset = anglePresets.find(({ test }) => test.test(task)) ?? anglePresets[anglePresets.length - 1];
  return {
    preset: preset?.name ?? 'feature',
    angles: [...(preset?.angles ?? [])].slice(0, angleCounts[complexity]),
  };
}

/** P-044: without an agent only when there is next to nothing to plan. */
export function planningStrategy(
  complexity: Complexity,
  { priorAnalysis: prior, angles }: { priorAnalysis: boolean; angles: number },
): 'direct' | 'agent-based' {
  return complexity === 'Low' && !prior && angles <= 1 ? 'direct' : 'agent-based';
}
