import type { Clarifications } from '../../base/schema/lite/session-files.ts';
import type { Question } from '../../engine/question.ts';
import type { LiteDesk } from './desk.ts';
import {
  assumedAnswer,
  type Clarification,
  clarificationRounds,
  cleanOption,
  mergeClarifications,
} from './rules/clarify.ts';
import type { Explored } from './stage-explore.ts';

/** LP-2: what the code cannot answer, four questions at a time, on disk after every round (P-050…P-054). */
export async function clarifyStage(
  desk: LiteDesk,
  explored: readonly Explored[],
  auto: boolean,
): Promise<Clarifications> {
  desk.begin('LP-2', 'clarify');
  const clarifications = mergeClarifications(explored);
  const rounds = clarificationRounds(clarifications);
  const file: Clarifications = { schemaVersion: 1, rounds: { asked: 0, total: rounds.length }, answers: [] };
  if (clarifications.length === 0) {
    desk.skip('nothing is open');
    return file;
  }
  if (auto) {
    file.answers = clarifications.map((each) => answered(each, assumedAnswer(each), 'assumed'));
    await desk.json('clarifications.json', file);
    desk.skip(`auto mode; ${clarifications.length} questions, recommendations assumed`);
    return file;
  }
  for (const [index, round] of rounds.entries()) {
    desk.note(`round ${index + 1} of ${rounds.length}`);
    const answers = await desk.choose(round.map(questionOf), false);
    file.answers.push(
      ...round.map((each) => answered(each, cleanOption(answers.get(each.id) ?? ''), 'person')),
    );
    file.rounds.asked = index + 1;
    await desk.json('clarifications.json', file);
  }
  desk.end(`${clarifications.length} answered`);
  return file;
}

/** Options are shown, but any other answer counts too and is kept as it was given (P-053). */
function questionOf(clarification: Clarification): Question {
  const { id, question, context, options, recommended } = clarification;
  const listed = options.map((option, index) => `${index === recommended ? '★ ' : '  '}${option}`);
  return {
    id,
    text: question,
    detail: [context, ...listed].filter((line) => line.trim() !== '').join('\n'),
    ...(recommended === undefined ? {} : { recommended: options[recommended] ?? '' }),
  };
}

function answered(
  { id, question, angles }: Clarification,
  answer: string,
  source: 'person' | 'assumed',
): Clarifications['answers'][number] {
  return { id, question, angles, answer, source };
}

/** The text for later prompts; questions without an answer are left to the planner. */
export function clarificationText({ answers }: Clarifications): string | undefined {
  const lines = answers
    .filter(({ answer }) => answer !== '')
    .map(
      ({ question, answer, source }) => `- ${question} ${answer}${source === 'assumed' ? ' (assumed)' : ''}`,
    );
  return lines.length === 0 ? undefined : lines.join('\n');
}
