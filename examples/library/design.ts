// Designs a feature with the agents of a project, answers every question with its recommendation and prints the plan.
// node examples/library/design.ts path/to/project "let customers cancel an order"
import {
  type Answer,
  CharretteError,
  findRun,
  openProject,
  type Question,
  readArtifact,
  startRun,
} from 'charrette';

const [folder = '.', feature = ''] = process.argv.slice(2);

const recommended = async (questions: Question[]): Promise<Answer[]> =>
  questions.map(({ id, recommended: value = 'yes' }) => ({ question: id, value, source: 'recommended' }));

try {
  const project = openProject(folder);
  const request = { workflow: 'design', feature, depth: 'solo', agents: 'static', branch: false } as const;
  const design = await startRun(project, request, 'here', { answer: recommended });
  for await (const event of design.events)
    if (event.type === 'phase-end') console.error(`${event.phase} took ${event.elapsedMs} ms`);
  const { status } = await design.ended;
  console.error(`${design.run}: ${status}`);
  console.log(await readArtifact(await findRun(project, design.run), 'plan.txt'));
} catch (error) {
  if (!(error instanceof CharretteError)) throw error;
  console.error(`${error.message} [${error.code}]\n${error.fix}`);
  process.exitCode = 1;
}
