/** How a call of an agent ended. Everything else (retry, fallback, message) is derived from it by table. */
export const laneKinds = [
  'ok',
  'auth',
  'rate_limit',
  'server',
  'network',
  'stream',
  'context_too_long',
  'timeout',
  'cancelled',
  'limit',
  'bad_output',
  'crash',
  'denied',
  'not_substantive',
  'unhealthy',
] as const;

export type LaneKind = (typeof laneKinds)[number];
