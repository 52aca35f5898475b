import { extractList } from '../../agents/extract-json.ts';
import { isRecord } from '../../base/safe-json.ts';
import { compilePrompt } from '../../prompts/compile.ts';
import { dispatchFor } from '../../prompts/roles/table.ts';
import { look } from './records.ts';
import type { PhaseRun } from './run.ts';

const roles = ['codebase-explorer', 'internet-researcher'] as const;
const maxFindings = 60;

/** §2B, T-050: material for the design: a panel's result and two researchers. A failure here does not stop the phase. */
export async function research(run: PhaseRun): Promise<string | undefined> {
  const { panel } = run.inputs;
  const all = panel === undefined ? [] : [`From the design panel of run ${panel.run}:\n${panel.text}`];
  if (run.inputs.research && (await look(run, 'before design.md')).files.design.kind !== 'present')
    all.push(...(await askResearchers(run)));
  return all.length === 0 ? undefined : all.join('\n\n');
}

async function askResearchers(run: PhaseRun): Promise<string[]> {
  const { inputs } = run;
  const feature = await look(run, 'research');
  const { spec } = feature.files;
  // Without a specification, what you asked for.
  const subject = (spec.kind === 'present' ? spec.text : undefined) ?? inputs.description ?? '';
  const requests = roles.map((role) => {
    const { draft } = compilePrompt({
      dispatch: dispatchFor('design', role, inputs.artifacts),
      files: feature.files,
      prd: feature.prd,
      transport: 'reference',
      iteration: { iteration: 1, max: 1 },
      subject: subject.slice(0, 20_000),
    });
    return {
      agent: inputs.reviewer,
      lane: `research ${role}`,
      task: `design-${role}`,
      prompt: run.prompt(draft),
    };
  });
  const outcomes = await run.callAll(requests);
  return outcomes.flatMap((outcome, index) => {
    const role = roles[index] ?? 'researcher';
    const findings = outcome.error === undefined ? findingsIn(outcome.text) : [];
    if (findings.length > 0) return [`From ${role}:\n${findings.join('\n')}`];
    run.warn(`${role} found nothing: ${outcome.error ?? 'no findings in its answer'}`);
    return [];
  });
}

function findingsIn(text: string): string[] {
  return extractList(text, 'findings')
    .slice(0, maxFindings)
    .flatMap((item): string[] => {
      if (typeof item === 'string') return [`- ${item}`];
      if (!isRecord(item) || typeof item['finding'] !== 'string') return [];
      const source = typeof item['source'] === 'string' ? ` (${item['source']})` : '';
      return [`- ${item['finding'].replace(/\s+/g, ' ').slice(0, 1_000)}${source.slice(0, 300)}`];
    });
}
