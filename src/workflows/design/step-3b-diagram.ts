import { diagramWarning, payloads } from '../../council/breadcrumbs.ts';
import { checkDiagram, diagramBody, diagramIssues } from '../../plan/diagram.ts';
import { parseMermaid } from '../../plan/mermaid-fences.ts';
import { diagramPrompt } from '../../prompts/panel/plan.ts';
import { fileKind } from '../../repo/index/file-kinds.ts';
import { logIssues } from './caller.ts';
import type { Desk } from './desk.ts';
import { seatsOf } from './seating.ts';
import { type Design, known } from './state.ts';

/** Step 3b: one picture of the architecture, promoted only when it is safe and parses (L-740…L-761). */
export async function diagram(desk: Desk, design: Design): Promise<Partial<Design>> {
  desk.begin('3b');
  // L-762: documents and settings have no architecture to draw.
  if (known(design, 'plan').files.every(({ path }) => fileKind(path) !== 'source')) {
    desk.skip('the plan changes no source file');
    return { diagram: 'skipped' };
  }
  const plan = known(design, 'planText');
  const [reply] = await desk.ask('author', [
    {
      seat: seatsOf(desk, design).author,
      lane: 'diagram',
      task: 'diagram',
      judgement: 'diagram',
      draft: (schema) => diagramPrompt({ plan, schema }),
      input: { plan: design.plan },
    },
  ]);
  desk.tellFailures('Author (diagram)', reply);
  const drawn = reply?.kind === 'ok' ? reply.value : undefined;
  const outcome = await desk.context.step('check diagram', () =>
    checkDiagram(drawn?.mermaid ?? null, drawn?.reason ?? reply?.message ?? null, parseMermaid),
  );
  if (outcome.status === 'ok') {
    await desk.context.artifact('architecture-diagram.md', outcome.file);
    desk.show('Architecture Diagram', diagramBody(outcome.file));
    desk.end(desk.inputs.caller === undefined ? payloads.diagramGenerated : payloads.saved);
  } else {
    const warning = diagramWarning(outcome, desk.elapsed(), desk.inputs.prefix);
    if (warning !== undefined) desk.warn(warning);
    const issues = diagramIssues(outcome);
    if (issues.length > 0) await logIssues(desk, 'Warnings', issues);
    desk.end();
  }
  return { diagram: outcome.status };
}
