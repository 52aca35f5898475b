import type { Desk } from './desk.ts';
import type { Design } from './state.ts';

/** Step 4: what was not implemented and why; three different texts for three different facts (L-780, L-781, C-19). */
export async function rejectedFindings(desk: Desk, design: Design): Promise<Partial<Design>> {
  desk.begin('4', 'rejected findings');
  const text = design.rejectedText ?? '';
  if (text !== '') {
    desk.show('Unimplemented Plan Review Suggestions', text);
    desk.end('rejected findings — saved');
  } else if ((design.findingsRaised ?? 0) === 0) {
    desk.end('rejected findings — none were raised');
  } else {
    desk.end('rejected findings — all suggestions implemented');
  }
  return {};
}
