import { type LaneResult, unknownUsage } from '../agents/port.ts';
import { isUnusable } from '../repo/git/checkout.ts';

/** What is done with a checkout before or after a call. One that an agent made unusable is the failure of that call, not of the run. */
export async function refusalOf(act: () => Promise<void>): Promise<LaneResult | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (!isUnusable(error)) throw error;
    return {
      kind: 'denied',
      text: '',
      message: error.message.replace(/\.$/, ''),
      usage: unknownUsage,
      toolCalls: 0,
      durationMs: 0,
    };
  }
}
