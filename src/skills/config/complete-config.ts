import { CharretteError } from '../../base/errors.ts';
import { problemList, readAs } from '../../base/schema/primitives.ts';
import { slugify } from '../../base/text/strings.ts';
import { comparesOrdinalAsString, conditionVariables, parseCondition } from '../model/condition.ts';
import { handoffCycle } from '../model/references.ts';
import {
  knownAgentTypes,
  type PhaseConfig,
  type WorkflowConfig,
  workflowConfigSchema,
} from './workflow-config.ts';

/** A workflow before defaults are filled in. */
type Known<T> = { [K in keyof T as string extends K ? never : K]: T[K] };

export type RoughPhase = Partial<Known<PhaseConfig>> & { name: string };
export type RoughConfig = Partial<Omit<Known<WorkflowConfig>, 'phases' | 'features' | 'skillName'>> & {
  skillName: string;
  phases: readonly RoughPhase[];
  features?: Partial<Known<WorkflowConfig['features']>>;
};

/** S-043: tools a coordinator nearly always needs. */
export const baseTools = [
  'Task',
  'AskUserQuestion',
  'TodoWrite',
  'Read',
  'Write',
  'Edit',
  'Bash',
  'Glob',
  'Grep',
] as const;

/** S-006: `lite-plan` becomes "Lite Plan". */
export function titleOf(name: string): string {
  return name
    .split('-')
    .filter((word) => word !== '')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(' ');
}

const mostPhases = 200;

/** A workflow has a handful of phases; a text that seems to have thousands is something else. */
export function checkPhaseCount(count: number): void {
  if (count > mostPhases) throw invalid(`${count} phases were found; at most ${mostPhases} are possible.`);
}

/** Fills in numbers, slugs, edges and derived features, and checks the whole. */
export function completeConfig(rough: RoughConfig): { config: WorkflowConfig; warnings: string[] } {
  checkPhaseCount(rough.phases.length);
  const warnings: string[] = [];
  const slugs = new Set<string>();
  const phases = rough.phases.map((phase, index): PhaseConfig => {
    const number = index + 1;
    const name =
      oneLine(phase.name).replace(/^(?:#+\s*)?(?:phase\s+\d+\s*[:：—–-]\s*)?/i, '') || `Step ${number}`;
    let slug = phase.slug ?? slugify(name, 50, `phase-${number}`);
    while (slugs.has(slug)) slug = `${slug}-${number}`;
    slugs.add(slug);
    const agentTypes = (phase.agentTypes ?? []).map((type) => {
      if ((knownAgentTypes as readonly string[]).includes(type)) return type;
      warnings.push(`Phase ${number}: the agent type ${type} is not known; general-purpose is used.`);
      return 'general-purpose';
    });
    return {
      ...phase,
      name,
      description: oneLine(phase.description ?? ''),
      number,
      slug,
      isConditional: phase.condition !== undefined,
      usesAgents: agentTypes.length > 0,
      agentTypes,
      todoWriteSubTasks: phase.todoWriteSubTasks ?? [],
      outputVariables: phase.outputVariables ?? [],
      outputFiles: phase.outputFiles ?? [],
    };
  });
  const targets = new Set(phases.flatMap(({ handsOverTo }) => handsOverTo ?? []));
  const guarded = phases.map((phase, index) => {
    // S-085: targets of a handoff, and late phases with several steps.
    const late = index + 1 > phases.length / 2 && phase.usesAgents;
    return { ...phase, guarded: phase.guarded ?? (targets.has(phase.number) || late) };
  });
  const triggers = rough.triggers ?? [];
  const candidate = {
    ...rough,
    title: oneLine(rough.title ?? titleOf(rough.skillName)),
    description:
      rough.description ?? `Runs the ${titleOf(rough.skillName)} workflow in ${phases.length} phases`,
    triggers:
      triggers.length > 0
        ? triggers
        : [...new Set([rough.skillName.replace('-', ':'), rough.skillName.replaceAll('-', ' ')])],
    allowedTools: [...new Set([...(rough.allowedTools ?? []), ...baseTools])],
    source: rough.source ?? { type: 'text_description', subCommandPaths: [] },
    phases: guarded,
    dataFlow: completeEdges(guarded, rough.dataFlow ?? []),
    features: {
      hasAutoMode: true,
      hasPlanningNotes: false,
      hasMemoryCompaction: guarded.some((phase) => phase.guarded),
      hasUserDecisionGate: false,
      ...rough.features,
      hasPostPhaseUpdates: rough.features?.hasPostPhaseUpdates ?? rough.features?.hasPlanningNotes ?? false,
      // S-033: derived, never trusted.
      hasConditionalPhases: guarded.some(({ isConditional }) => isConditional),
      hasTodoWriteSubTasks: guarded.some(({ todoWriteSubTasks }) => todoWriteSubTasks.length > 0),
    },
  };
  const config = readConfig(candidate, 'the workflow configuration');
  const problems = configProblems(config);
  const [first] = problems;
  if (first !== undefined) throw invalid(problems.join(' '));
  if (phases.length < 3 || phases.length > 7)
    warnings.push(`${phases.length} phases; three to seven are usual.`);
  return { config, warnings };
}

/** Names and descriptions go into headings, tables and prompts, so Markdown in them must not act. */
export function oneLine(text: string): string {
  return text
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/[`|]+/g, "'")
    .replace(/\s+/g, ' ')
    .trim();
}

/** Every output has a consumer: outputs without an edge go to the next phase. */
function completeEdges(
  phases: readonly PhaseConfig[],
  given: WorkflowConfig['dataFlow'],
): WorkflowConfig['dataFlow'] {
  const edges = given.map((edge) => ({ ...edge, variables: [...edge.variables] }));
  if (!edges.some(({ from }) => from === 'input'))
    edges.unshift({ from: 'input', to: 'phase1', variables: ['task'] });
  for (const { number, outputVariables } of phases.slice(0, -1)) {
    const carried = new Set(
      edges.filter(({ from }) => from === `phase${number}`).flatMap(({ variables }) => variables),
    );
    const left = outputVariables.filter((name) => !carried.has(name));
    if (left.length === 0) continue;
    const next = edges.find(({ from, to }) => from === `phase${number}` && to === `phase${number + 1}`);
    if (next === undefined) edges.push({ from: `phase${number}`, to: `phase${number + 1}`, variables: left });
    else next.variables.push(...left);
  }
  const place = (node: string) => (node === 'input' ? 0 : Number(node.slice(5)));
  return edges.sort((a, b) => place(a.from) - place(b.from) || place(a.to) - place(b.to));
}

/** S-032, S-035: edges whose producer exists, comes first and really produces; conditions over known names. */
export function configProblems({ phases, dataFlow, preferenceQuestions, profile }: WorkflowConfig): string[] {
  const problems: string[] = [];
  const phaseOf = (node: string) => phases.find(({ number }) => `phase${number}` === node);
  for (const { from, to, variables } of dataFlow) {
    const [producer, consumer] = [phaseOf(from), phaseOf(to)];
    if (from !== 'input' && producer === undefined)
      problems.push(`The edge ${from} → ${to} starts from a phase that does not exist.`);
    if (consumer === undefined)
      problems.push(`The edge ${from} → ${to} ends at a phase that does not exist.`);
    if (producer === undefined || consumer === undefined) continue;
    if (producer.number >= consumer.number && profile !== 'loop')
      problems.push(`The edge ${from} → ${to} leads backwards.`);
    for (const name of variables) {
      if (!producer.outputVariables.includes(name) && !producer.outputFiles.includes(name)) {
        problems.push(
          `${from} does not list ${name} as an output (it lists ${producer.outputVariables.join(', ') || 'none'}).`,
        );
      }
    }
  }
  const known = new Set([
    ...dataFlow.flatMap(({ variables }) => variables),
    ...phases.flatMap(({ outputVariables }) => outputVariables),
    ...preferenceQuestions.map(({ key }) => key),
    'autoYes',
  ]);
  for (const { number, condition } of phases) {
    if (condition === undefined) continue;
    const reading = parseCondition(condition);
    if (!reading.ok) {
      problems.push(`The condition of phase ${number} cannot be read: ${reading.message}.`);
      continue;
    }
    if (comparesOrdinalAsString(reading.condition))
      problems.push(`The condition of phase ${number} quotes a level; write it without quotes.`);
    const strange = conditionVariables(reading.condition).filter(
      (name) => !known.has(name.replace(/^workflowPreferences\./, '')),
    );
    if (strange.length > 0) {
      problems.push(
        `The condition of phase ${number} uses ${strange.join(', ')}, which nothing produces (known: ${[...known].join(', ')}).`,
      );
    }
  }
  for (const { number, handsOverTo } of phases) {
    if (
      handsOverTo !== undefined &&
      !phases.some((phase) => phase.number === handsOverTo && phase.number !== number)
    ) {
      problems.push(`Phase ${number} hands over to phase ${handsOverTo}, which does not exist.`);
    }
  }
  const cycle = handoffCycle(
    new Map(
      phases.flatMap(({ number, handsOverTo }) =>
        handsOverTo === undefined ? [] : [[number, handsOverTo] as const],
      ),
    ),
  );
  if (cycle !== undefined) problems.push(`The phases ${cycle.join(' → ')} hand over in a circle.`);
  return problems;
}

/** Reads a config from any value; the error names every wrong field. */
export function readConfig(value: unknown, source: string): WorkflowConfig {
  const reading = readAs(workflowConfigSchema, value);
  if (reading.ok) return reading.value;
  throw invalid(`${source} is wrong: ${problemList(reading.problems, '(top)')}.`);
}

function invalid(message: string): CharretteError {
  return new CharretteError({
    code: 'usage',
    message,
    fix: 'Correct the flags or the answers file; `charrette skill new --help` shows the forms.',
  });
}
