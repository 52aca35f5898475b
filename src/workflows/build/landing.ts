import { isUnusable } from '../../repo/git/checkout.ts';
import { type Taken, takeWork } from '../../repo/git/run-branch.ts';
import type { LiteDesk } from './desk.ts';
import type { Execution } from './execution.ts';

type LiteLanding = Taken | { kind: 'unusable'; reason: string };

/** Joins what was done in a checkout with the run's branch; a checkout from which nothing can be taken is a result of its own. */
export async function landWork(
  { root, branch }: Execution,
  checkout: string,
  start: string,
  message: string,
): Promise<LiteLanding> {
  try {
    return await takeWork(root, checkout, { branch, start, message });
  } catch (error) {
    if (!isUnusable(error)) throw error;
    return { kind: 'unusable', reason: error.message.replace(/\.$/, '') };
  }
}

/** Ignored files that are named; an installed package may have thousands. */
const mostNamed = 5;

/**
 * Says what git ignored. True when the checkout has to stay: after work that landed, ignored files are by-products; where nothing landed they
 * may be all there is.
 */
export function keepsIgnored(
  desk: LiteDesk,
  label: string,
  landing: Extract<Taken, { ignored: string[] }>,
  checkout: string,
): boolean {
  const { kind, ignored } = landing;
  if (ignored.length === 0) return false;
  const more = ignored.length - mostNamed;
  const names = `${ignored.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  if (kind === 'nothing') desk.warn(`[${label}] git ignores ${names}; kept in ${checkout}.`);
  else desk.note(`[${label}] not taken, because git ignores it: ${names}`);
  return kind === 'nothing';
}
