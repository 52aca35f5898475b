import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { jsonText } from '../../base/safe-json.ts';
import { unifiedDiff } from '../../base/text/diff.ts';
import type { LitePlanFiles } from '../../plan/tasks/plan-files.ts';
import { readTaskTexts } from '../../plan/tasks/plan-files.ts';
import { planInvalid, readPlanFiles } from '../../plan/tasks/read-plan.ts';
import type { LiteDesk } from './desk.ts';

type Found = { diff: string; files?: LitePlanFiles; problems: string[] };

/**
 * P-167: the plan that is to be carried out. When its files were changed since they were written, the difference is shown and
 * somebody says which of the two it is; `undefined` is neither.
 */
export async function settledPlan(
  desk: LiteDesk,
  planned: LitePlanFiles,
  auto: boolean,
): Promise<LitePlanFiles | undefined> {
  const { artifacts } = desk.context.live.directory;
  const found = await desk.context.step('plan files', () => readBack(artifacts, planned));
  if (found.diff === '') return planned;
  desk.note(`The files of the plan were changed since it was written:\n${found.diff}`);
  for (const problem of found.problems) desk.warn(`The changed plan cannot be carried out: ${problem}`);
  if (auto) {
    desk.warn('Nobody is to be asked: the plan is carried out as it was written.');
    return planned;
  }
  const usable = found.files !== undefined;
  const answers = await desk.choose(
    [
      {
        id: 'stale',
        text: 'The files of the plan were changed. Which plan is it?',
        detail: found.diff.slice(0, 4000),
        options: [
          ...(usable ? [{ value: 'changed', label: 'As the files are now' }] : []),
          { value: 'planned', label: 'As it was written' },
          { value: 'cancel', label: 'Neither: stop here' },
        ],
        recommended: usable ? 'changed' : 'planned',
      },
    ],
    false,
  );
  const answer = answers.get('stale');
  if (answer === 'cancel') return undefined;
  if (answer === 'changed' && found.files !== undefined) return found.files;
  return planned;
}

async function readBack(artifacts: string, { plan, tasks }: LitePlanFiles): Promise<Found> {
  const planText = (await readTextFile(path.join(artifacts, 'plan.json'))) ?? '';
  const texts = await readTaskTexts(artifacts);
  const written = [
    ['plan.json', jsonText(plan)],
    ...tasks.map((task) => [`.task/${task.id}.json`, jsonText(task)]),
  ];
  const now = new Map([
    ['plan.json', planText],
    ...texts.map(({ file, text }) => [`.task/${file}`, text] as const),
  ]);
  const before = new Map(written.map(([name = '', text = '']) => [name, text]));
  const names = [...new Set([...before.keys(), ...now.keys()])];
  const diff = names
    .map((name) => {
      const change = unifiedDiff(before.get(name) ?? '', now.get(name) ?? '', { before: name, after: name });
      return change.kind === 'diff' ? change.text : change.kind === 'same' ? '' : `${name} differs\n`;
    })
    .join('');
  if (diff === '') return { diff, problems: [] };
  try {
    const { files, quality } = readPlanFiles(planText, texts);
    if (quality.critical.length > 0) throw planInvalid(quality.critical);
    return { diff, files, problems: [] };
  } catch (error) {
    if (!(error instanceof CharretteError)) throw error;
    return { diff, problems: [error.message] };
  }
}
