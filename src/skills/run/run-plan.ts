import { lineText } from '../../base/markdown/document.ts';
import { type Ordering, orderings, parseCondition } from '../model/condition.ts';
import type { SkillPackage } from '../model/package.ts';
import { findHeading } from '../model/phase-file.ts';
import { bareLabel, readPreferencePaths, readQuestionCalls } from '../model/preferences.ts';
import { handoffOf } from '../model/references.ts';

/** One phase as the runner sees it. The text is read when the phase runs, not before. */
export type RunPhase = {
  number: number;
  name: string;
  file: string;
  condition: string | undefined;
  inputs: readonly string[];
  /** What it must give. */
  variables: readonly string[];
  files: readonly string[];
  /** What it may give: its variables, and its outputs in the flow of SKILL.md. Nothing else is used. */
  gives: readonly string[];
  /** What conditions order of that. */
  ordered: readonly Ordering[];
  /** Phase that this one hands over to by reading its file. */
  handsOverTo: number | undefined;
  mode: string | undefined;
  triggers: readonly string[];
};

export type RunQuestion = { key: string; text: string; options: readonly string[]; recommended: string };

/** The id of a preference's question. */
export const questionId = (key: string) => `preference-${key}`;

export type RunPlan = {
  skill: string;
  profile: SkillPackage['profile'];
  phases: readonly RunPhase[];
  questions: readonly RunQuestion[];
  /** Label of the answer that turns a key on; the others keep the label itself. */
  switches: Readonly<Record<string, string>>;
  loop: { until: string; from: number; limit: number } | undefined;
};

/** What a package asks to be run: phases in order with what flows in and out, questions, routes, the loop. */
export function runPlan(subject: SkillPackage): RunPlan {
  const { skill, phases, references } = subject;
  const edges = skill?.flow.edges ?? [];
  const loop = readLoop(subject);
  const plan = phases.map((phase, index) => {
    const number = phase.number ?? index + 1;
    const condition = skill?.flow.conditions.find((item) => item.phase === number)?.expression;
    return { phase, number, condition };
  });
  const ordered = [...plan.map(({ condition }) => condition), loop?.until].flatMap((text) => {
    const reading = parseCondition(text ?? '');
    return reading.ok ? orderings(reading.condition) : [];
  });
  return {
    skill: subject.name || subject.files.directory,
    profile: subject.profile,
    phases: plan.map(({ phase, number, condition }): RunPhase => {
      const variables = phase.outputs.filter(({ kind }) => kind === 'variable').map(({ name }) => name);
      const gives = new Set([
        ...variables,
        ...edges.filter(({ from }) => from === number).flatMap((edge) => edge.variables),
        ...(skill?.flow.outputs ?? []).filter((item) => item.phase === number).map(({ name }) => name),
      ]);
      const route = skill?.routing?.rows.filter(({ targets }) => targets.includes(phase.document.path)) ?? [];
      const handoff = handoffOf(phase, phases, references);
      return {
        number,
        name: phase.name || phase.slug,
        file: phase.document.path,
        condition,
        inputs: [...new Set(edges.filter(({ to }) => to === number).flatMap(({ variables }) => variables))],
        variables,
        files: phase.outputs.filter(({ kind }) => kind === 'file').map(({ name }) => name),
        gives: [...gives],
        ordered: ordered.filter(({ path }) => gives.has(path.split('.', 1)[0] ?? '')),
        handsOverTo: handoff?.target.number,
        mode: route[0]?.mode,
        triggers: route.map(({ trigger }) => trigger),
      };
    }),
    ...readQuestions(subject),
    loop,
  };
}

/** The questions of SKILL.md with the keys that its preference objects give them. */
function readQuestions({ skill }: SkillPackage): Pick<RunPlan, 'questions' | 'switches'> {
  if (skill === undefined) return { questions: [], switches: {} };
  const text = skill.document.text;
  const keys = readPreferencePaths(skill.document).at(-1)?.keys ?? [];
  const asked = readQuestionCalls(skill.document).flatMap(({ questions }) => questions);
  const switches: Record<string, string> = {};
  const questions = keys.flatMap((key, index): RunQuestion[] => {
    const active = new RegExp(`\\b${key}\\s*:\\s*[\\w$.\\[\\]"']+\\s*===\\s*["']([^"'\\n]+)["']`).exec(
      text,
    )?.[1];
    if (active !== undefined) switches[key] = active;
    const question =
      asked.find(({ labels }) => active !== undefined && labels.map(bareLabel).includes(active)) ??
      asked[index];
    const options = (question?.labels ?? []).map(bareLabel);
    const [first] = options;
    if (question === undefined || first === undefined) return [];
    const marked = question.labels.find((label) => /recommended/i.test(label));
    const recommended = marked === undefined ? first : bareLabel(marked);
    return [{ key, text: question.text ?? key, options, recommended }];
  });
  return { questions, switches };
}

function readLoop({ skill, profile }: SkillPackage): RunPlan['loop'] {
  const heading = skill === undefined ? undefined : findHeading(skill.document, /^loop control$/i);
  if (skill === undefined || heading === undefined || profile !== 'loop') return undefined;
  const field = (name: string) => {
    for (let line = heading.line + 1; line < heading.endLine; line += 1) {
      const found = new RegExp(`^[-*]\\s*\\**${name}\\**\\s*:\\s*(.+)$`, 'i').exec(
        lineText(skill.document, line),
      )?.[1];
      if (found !== undefined) return found.replaceAll('`', '').trim();
    }
    return '';
  };
  return {
    until: field('Until'),
    from: Number(/\d+/.exec(field('Back to'))?.[0] ?? 1),
    limit: Number(/\d+/.exec(field('At most'))?.[0] ?? 5),
  };
}
