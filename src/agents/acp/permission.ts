import type { RequestPermissionRequest, RequestPermissionResponse, ToolKind } from '@agentclientprotocol/sdk';
import type { Access } from '../port.ts';

/** What an agent with read access may do when it asks. The kind is its own word; the jail does not rely on it. */
const readingKinds: readonly ToolKind[] = ['read', 'search', 'think'];

/**
 * Our answer to an agent that asks before it uses a tool. Where a jail refuses the writing itself, the agent may try:
 * some can only read by a shell. Permissions are given for this once, never for good.
 */
export function answerPermission(
  { toolCall, options }: RequestPermissionRequest,
  { access, jailed }: { access: Access; jailed: boolean },
): RequestPermissionResponse {
  const harmless = jailed || readingKinds.some((kind) => kind === toolCall.kind);
  const allowed = access === 'write' || harmless;
  const wanted = allowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  const option = wanted.flatMap((kind) => options.find((candidate) => candidate.kind === kind) ?? [])[0];
  if (option === undefined) return { outcome: { outcome: 'cancelled' } };
  return { outcome: { outcome: 'selected', optionId: option.optionId } };
}
