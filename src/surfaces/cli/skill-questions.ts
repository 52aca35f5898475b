import { confirm, intro, isCancel, outro, select, text } from '@clack/prompts';
import { CharretteError } from '../../base/errors.ts';
import type { Terminal } from '../../service/command.ts';
import type { DesignAnswers, NewSkillBasics } from '../../skills/config/answers.ts';

/** The ten design questions on a terminal; an empty answer takes the default. */
export async function askDesignQuestions(
  basics: NewSkillBasics,
  { stdin, stderr }: Terminal,
): Promise<{ basics: NewSkillBasics; answers: DesignAnswers }> {
  const streams = { input: stdin as NodeJS.ReadStream, output: stderr as NodeJS.WriteStream };
  const line = async (message: string, placeholder: string): Promise<string> =>
    given<string>(await text({ message, placeholder, defaultValue: '', ...streams })).trim();
  const many = async (message: string, placeholder: string): Promise<string[] | undefined> => {
    const answer = await line(message, placeholder);
    return answer === '' ? undefined : answer.split(/\s*;\s*/);
  };
  intro(`New skill ${basics.name}`, { output: streams.output });
  const description =
    basics.description ?? (await line('What does it do?', 'Plans a release and writes its notes'));
  const phases = await line('1. Phases: a number, or names with commas', '4');
  const conditions = await many('2. Which phases are conditional? (N: expression; …)', 'none');
  const data = await many(
    '3. Which data flows between phases? (1>2: name; …)',
    'outputs go to the next phase',
  );
  const agents = await many('4. Which phases use agents? (N: type; …)', 'as the phase kinds say');
  const subtasks = await many('5. Which phases have sub-tasks in the todo list? (N: a, b; …)', 'none');
  const notes = given(
    await confirm({
      message: '6. Keep a notes document through the phases?',
      initialValue: false,
      ...streams,
    }),
  );
  const errors = given(
    await select({
      message: '7. What happens after an error?',
      options: [
        { value: 'retry' as const, label: 'retry once, then report' },
        { value: 'rollback' as const, label: 'undo and report' },
        { value: 'report' as const, label: 'report' },
      ],
      ...streams,
    }),
  );
  const preferences = await many(
    '8. What shall users be asked? (key: question: A | B; …)',
    'only the automatic mode',
  );
  const handoffs = await many('9. Which phases hand over directly? (1>2; …)', 'none');
  const longContext = await line(
    '10. Which phases run after a long context? (auto, all, none, numbers)',
    'auto',
  );
  outro('The package is made now.', { output: streams.output });
  const answers: Record<string, unknown> = {
    phases,
    conditions,
    data,
    agents,
    subtasks,
    notes,
    errors,
    preferences,
    handoffs,
    longContext,
  };
  return {
    basics: { ...basics, description: description === '' ? undefined : description },
    answers: Object.fromEntries(
      Object.entries(answers).filter(([, value]) => value !== undefined && value !== ''),
    ) as DesignAnswers,
  };
}

function given<T>(answer: T | symbol): T {
  if (!isCancel(answer)) return answer as T;
  throw new CharretteError({ code: 'usage', message: 'The questions were cancelled; nothing was written.' });
}
