import type { Plan } from '../../base/schema/judgements/plan.ts';
import { diagramWarning, payloads } from '../../council/breadcrumbs.ts';
import { type Seat, tryAuthor } from '../../council/council.ts';
import { checkDiagram, diagramBody, diagramIssues } from '../../plan/diagram.ts';
import { parseMermaid } from '../../plan/mermaid-fences.ts';
import { renderPlan } from '../../plan/plan-text.ts';
import { diagramPrompt } from '../../prompts/panel/plan.ts';
import { fileKind } from '../../repo/index/file-kinds.ts';
import { logIssues } from './caller.ts';
import type { Desk } from './desk.ts';

/** Step 3b: one picture of the architecture, promoted only when it is safe and parses (L-740…L-761). */
export async function drawDiagram(desk: Desk, author: Seat, plan: Plan): Promise<void> {
  desk.begin('3b');
  // L-762: documents and settings have no architecture to draw.
  if (plan.files.every(({ path }) => fileKind(path) !== 'source'))
    return desk.skip('the plan changes no source file');
  const reply = await tryAuthor(desk, author, {
    key: 'diagram',
    kind: 'diagram',
    judgement: 'diagram',
    draft: (schema) => diagramPrompt({ plan: renderPlan(plan), schema }),
    facts: { plan },
  });
  const drawn = reply.ok ? reply.value : { mermaid: null, reason: reply.message ?? null };
  const outcome = await desk.context.step('check diagram', () =>
    checkDiagram(drawn.mermaid, drawn.reason, parseMermaid),
  );
  if (outcome.status === 'ok') {
    await desk.artifact('architecture-diagram.md', outcome.file);
    desk.show('Architecture Diagram', diagramBody(outcome.file));
    return desk.end(desk.inputs.caller === undefined ? payloads.diagramGenerated : payloads.saved);
  }
  const warning = diagramWarning(outcome, desk.elapsed(), desk.inputs.prefix);
  if (warning !== undefined) desk.warn(warning);
  const issues = diagramIssues(outcome);
  if (issues.length > 0) await logIssues(desk, 'Warnings', issues);
  desk.end();
}
