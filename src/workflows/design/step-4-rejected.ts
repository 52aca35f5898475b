import { rejectedPayload } from '../../council/breadcrumbs.ts';
import { readRejected } from '../../council/outcome-files.ts';
import type { Desk } from './desk.ts';
import type { Design } from './state.ts';

/** Step 4: what was not implemented and why; three texts for three facts, and for a caller the lines it knows (L-780, L-781, C-19). */
export async function rejectedFindings(desk: Desk, design: Design): Promise<Partial<Design>> {
  desk.begin('4');
  const text = design.rejectedText ?? '';
  if (text !== '') desk.show('Unimplemented Plan Review Suggestions', text);
  const nested = desk.inputs.caller !== undefined;
  desk.end(
    rejectedPayload(design.findingsRaised ?? 0, readRejected(text).length, { nested, compatible: nested }),
  );
  return {};
}
