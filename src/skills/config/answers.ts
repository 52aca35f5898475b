import { CharretteError } from '../../base/errors.ts';
import { isRecord } from '../../base/safe-json.ts';
import { kindOfName } from '../model/data-flow.ts';
import type { RoughConfig, RoughPhase } from './complete-config.ts';
import type { QuestionConfig } from './workflow-config.ts';
import { defaultPhases, type PhaseKind, phaseKinds } from './workflow-config.ts';

/** S-110: the ten design questions. Flags, an answers file and the terminal all fill this one form. */
export type DesignAnswers = {
  /** 1. How many phases, or which: a number, or names; `name: what it does` gives a description. */
  phases?: string | number | readonly (string | RoughPhase)[];
  /** 2. Which are conditional: `3: conflictRisk >= medium`. */
  conditions?: readonly string[];
  /** 3. What data flows: `1>2: sessionId, contextPath`. */
  data?: readonly string[];
  /** 4. Which use agents: `2: context-search-agent, Explore`. */
  agents?: readonly string[];
  /** 5. Which have sub-tasks in the todo list: `2: collect, merge, check`. */
  subtasks?: readonly string[];
  /** 6. Is there a notes document that runs through the phases? */
  notes?: boolean;
  /** 7. What happens after an error? */
  errors?: 'retry' | 'rollback' | 'report';
  /** 8. Which preferences are asked: `depth: How deep?: Quick | Thorough`. */
  preferences?: readonly string[];
  /** 9. Which phases hand over directly: `1>2`. */
  handoffs?: readonly string[];
  /** 10. Which phases run after a long context: `auto`, `all`, `none` or numbers. */
  longContext?: string;
};

export type NewSkillBasics = {
  name: string;
  description?: string | undefined;
  triggers?: readonly string[] | undefined;
  profile?: 'pipeline' | 'router' | 'loop' | undefined;
  autoMode?: boolean | undefined;
};

/** Turns answers into a rough config; every wrong answer is named. */
export function configFromAnswers(basics: NewSkillBasics, answers: DesignAnswers): RoughConfig {
  const phases = readPhases(answers.phases, basics);
  const pick = (text: string, question: string) => {
    const [, number, rest] = /^\s*(\d+)\s*[:=]\s*(.+)$/s.exec(text) ?? [];
    const phase = number === undefined ? undefined : phases[Number(number) - 1];
    if (phase === undefined || rest === undefined)
      throw wrong(question, text, `"N: …" with N from 1 to ${phases.length}`);
    return { phase, rest: rest.trim() };
  };
  for (const text of answers.agents ?? []) {
    const { phase, rest } = pick(text, 'agents');
    phase.agentTypes = words(rest);
  }
  for (const text of answers.subtasks ?? []) {
    const { phase, rest } = pick(text, 'subtasks');
    phase.todoWriteSubTasks = words(rest);
  }
  const dataFlow = (answers.data ?? []).map((text) => {
    const [, from, to, names] = /^\s*(\d+|input)\s*(?:>|->|→)\s*(\d+)\s*[:=]\s*(.+)$/.exec(text) ?? [];
    if (from === undefined || to === undefined || names === undefined)
      throw wrong('data', text, '"1>2: name, name"');
    const variables = words(names);
    const strange = variables.find((name) => kindOfName(name) === undefined);
    if (strange !== undefined)
      throw wrong('data', text, `"1>2: name, file.md"; ${JSON.stringify(strange)} is not a valid name`);
    const producer = from === 'input' ? undefined : phases[Number(from) - 1];
    if (producer !== undefined) {
      const files = producer.outputFiles ?? [];
      const known = [...(producer.outputVariables ?? []), ...files];
      const fresh = variables.filter((name) => !known.includes(name));
      producer.outputVariables = [
        ...(producer.outputVariables ?? []),
        ...fresh.filter((name) => kindOfName(name) === 'variable'),
      ];
      producer.outputFiles = [...files, ...fresh.filter((name) => kindOfName(name) === 'file')];
    }
    return { from: from === 'input' ? 'input' : `phase${from}`, to: `phase${to}`, variables };
  });
  for (const text of answers.conditions ?? []) {
    const { phase, rest } = pick(text, 'conditions');
    phase.condition = rest;
  }
  for (const text of answers.handoffs ?? []) {
    const [, from, to] = /^\s*(\d+)\s*(?:>|->|→)\s*(\d+)\s*$/.exec(text) ?? [];
    const phase = phases[Number(from) - 1];
    if (phase === undefined || to === undefined) throw wrong('handoffs', text, '"1>2"');
    phase.handsOverTo = Number(to);
  }
  applyLongContext(phases, answers.longContext ?? 'auto');
  return {
    skillName: basics.name,
    ...(basics.description === undefined ? {} : { description: basics.description }),
    triggers: [...(basics.triggers ?? [])],
    profile: basics.profile ?? 'pipeline',
    phases,
    dataFlow,
    errorRecovery: answers.errors ?? 'retry',
    preferenceQuestions: (answers.preferences ?? []).map(readPreference),
    features: { hasAutoMode: basics.autoMode ?? true, hasPlanningNotes: answers.notes ?? false },
    ...(basics.profile === 'loop'
      ? { loop: { until: 'the last phase reports success', from: 1, limit: 5 } }
      : {}),
  };
}

function words(text: string): string[] {
  return text
    .split(/\s*[,|;]\s*/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function readPhases(given: DesignAnswers['phases'], { profile, triggers }: NewSkillBasics): RoughPhase[] {
  const phases = roughPhases(given);
  if (profile !== 'router') return phases;
  return phases.map((phase, index) => {
    const own =
      phase.triggers ?? (triggers ?? []).slice(index, index === phases.length - 1 ? undefined : index + 1);
    return {
      ...phase,
      ...(own.length > 0 ? { triggers: own } : {}),
    };
  });
}

function roughPhases(given: DesignAnswers['phases']): RoughPhase[] {
  if (given === undefined) return defaultPhases(4);
  if (typeof given === 'number' || (typeof given === 'string' && /^\s*\d+\+?\s*$/.test(given))) {
    const count = Number.parseInt(String(given), 10);
    if (count < 1 || count > 99) throw wrong('phases', String(given), 'a number from 1 to 99, or names');
    return defaultPhases(count);
  }
  const list = typeof given === 'string' ? given.split(/\s*[,;\n]\s*/) : given;
  return list.flatMap((item): RoughPhase[] => {
    if (typeof item !== 'string') return [{ ...item }];
    const kind = item.trim().toLowerCase().replaceAll(' ', '-');
    if (Object.hasOwn(phaseKinds, kind)) {
      const known = phaseKinds[kind as PhaseKind];
      return [
        {
          ...known,
          outputVariables: [...known.outputVariables],
          outputFiles: [...known.outputFiles],
          agentTypes: [...known.agentTypes],
        },
      ];
    }
    const [, name, description] = /^\s*([^:：]+?)\s*(?:[:：]\s*(.+))?$/s.exec(item) ?? [];
    if (name === undefined || name === '') return [];
    return [{ name, description: description ?? `Run the ${name} step and hand its result on` }];
  });
}

function readPreference(text: string): QuestionConfig {
  const [, key, question, options] = /^\s*([A-Za-z_]\w*)\s*:\s*(.+?)\s*:\s*([^:]+)$/.exec(text) ?? [];
  const labels = (options ?? '')
    .split('|')
    .map((label) => label.trim())
    .filter((label) => label !== '');
  if (key === undefined || question === undefined || labels.length < 2 || labels.length > 4) {
    throw wrong('preferences', text, '"key: question: First | Second" with two to four options');
  }
  const header = key
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .slice(0, 12)
    .trim();
  return {
    key,
    question,
    header: header.slice(0, 1).toUpperCase() + header.slice(1),
    options: labels.map((label) => ({ label, description: label })),
  };
}

function applyLongContext(phases: RoughPhase[], answer: string): void {
  if (answer === 'auto') return;
  const numbers =
    answer === 'all'
      ? phases.map((_, index) => index + 1)
      : answer === 'none'
        ? []
        : words(answer).map(Number);
  if (numbers.some((number) => !Number.isInteger(number) || number < 1 || number > phases.length)) {
    throw wrong('long-context', answer, `auto, all, none or phase numbers up to ${phases.length}`);
  }
  phases.forEach((phase, index) => {
    phase.guarded =
      numbers.includes(index + 1) || phases.some(({ handsOverTo }) => handsOverTo === index + 1);
  });
}

/** Reads an answers file; unknown questions are refused by name. */
export function readAnswers(value: unknown, source: string): DesignAnswers {
  if (!isRecord(value)) throw wrong('answers', source, 'a JSON object');
  const known = [
    'phases',
    'conditions',
    'data',
    'agents',
    'subtasks',
    'notes',
    'errors',
    'preferences',
    'handoffs',
    'longContext',
  ];
  const strange = Object.keys(value).filter((key) => !known.includes(key));
  if (strange.length > 0) throw wrong('answers', `${source}: ${strange.join(', ')}`, known.join(', '));
  for (const key of ['conditions', 'data', 'agents', 'subtasks', 'preferences', 'handoffs']) {
    const list = value[key];
    if (list !== undefined && !(Array.isArray(list) && list.every((item) => typeof item === 'string'))) {
      throw wrong(key, source, 'a list of texts');
    }
  }
  if (value['errors'] !== undefined && !['retry', 'rollback', 'report'].includes(String(value['errors']))) {
    throw wrong('errors', String(value['errors']), 'retry, rollback or report');
  }
  return value as DesignAnswers;
}

function wrong(question: string, given: string, wanted: string): CharretteError {
  return new CharretteError({
    code: 'usage',
    message: `The answer to "${question}" was ${JSON.stringify(given.slice(0, 120))}; it is ${wanted}.`,
    fix: 'Run `charrette skill new --help` for examples.',
  });
}
