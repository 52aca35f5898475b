import { extractList } from '../../agents/extract-json.ts';
import { isRecord } from '../../base/safe-json.ts';
import { compilePrompt } from '../../prompts/compile.ts';
import { compose } from '../../prompts/compose.ts';
import { dispatchFor } from '../../prompts/roles/table.ts';
import type { FeatureDesk } from './desk.ts';
import { draftNeeded } from './document.ts';
import type { FeaturePhaseInputs } from './inputs.ts';
import { look } from './records.ts';

const roles = ['codebase-explorer', 'internet-researcher'] as const;
const mostFindings = 60;

/** §2B, T-050: what is known before the design is written: a panel's result, and two researchers. Nothing here can hold the phase up. */
export async function research(desk: FeatureDesk<FeaturePhaseInputs>): Promise<string | undefined> {
  const { inputs } = desk;
  const panel =
    inputs.panel === undefined
      ? []
      : [`From the design panel of run ${inputs.panel.run}:\n${inputs.panel.text}`];
  const found = inputs.research && (await draftNeeded(desk, 'design')) ? await askResearchers(desk) : [];
  const all = [...panel, ...found];
  return all.length === 0 ? undefined : all.join('\n\n');
}

async function askResearchers(desk: FeatureDesk<FeaturePhaseInputs>): Promise<string[]> {
  const feature = await look(desk, 'research');
  const subject = subjectOf(desk.inputs, feature.files.spec);
  const calls = roles.map((role) => {
    const { draft } = compilePrompt({
      dispatch: dispatchFor('design', role, desk.inputs.artifacts),
      files: feature.files,
      prd: feature.prd,
      transport: 'reference',
      iteration: { iteration: 1, max: 1 },
      subject,
    });
    const prompt = compose(draft, { nonce: desk.nonce, overrides: desk.services.overrides }).text;
    return {
      agent: desk.inputs.reviewer,
      request: { lane: `research ${role}`, task: `design-${role}`, prompt },
    };
  });
  const outcomes = await desk.callAll(calls);
  return outcomes.flatMap((outcome, index) => {
    const role = roles[index] ?? 'researcher';
    const findings = outcome.error === undefined ? findingsIn(outcome.text) : [];
    if (findings.length > 0) return [`From ${role}:\n${findings.join('\n')}`];
    desk.warn(`${role} found nothing: ${outcome.error ?? 'no findings in its answer'}`);
    return [];
  });
}

/** The specification is what is researched; without one, what the person said. */
function subjectOf({ description }: FeaturePhaseInputs, spec: { kind: string; text?: string }): string {
  return (spec.text ?? description ?? '').slice(0, 20_000);
}

function findingsIn(text: string): string[] {
  return extractList(text, 'findings')
    .slice(0, mostFindings)
    .flatMap((item): string[] => {
      if (typeof item === 'string') return [`- ${item}`];
      if (!isRecord(item) || typeof item['finding'] !== 'string') return [];
      const source = typeof item['source'] === 'string' ? ` (${item['source']})` : '';
      return [`- ${item['finding'].replace(/\s+/g, ' ').slice(0, 1_000)}${source.slice(0, 300)}`];
    });
}
