import type { LaneKind } from './port.ts';

/** What follows from a failure: the only place where retry, fallback and health are decided. */
export type FailurePolicy = {
  /** Attempts with the same agent after the first one. */
  retries: number;
  /** Wait before the first retry; it doubles each time. `retryAfterMs` of the result wins when it is longer. */
  backoffMs: number;
  /** Whether the seat's next agent may be called instead. */
  fallback: boolean;
  /** Whether it speaks against the agent itself, so that later seats avoid it. */
  countsAgainstHealth: boolean;
  meaning: string;
};

export const failurePolicies: Readonly<Record<Exclude<LaneKind, 'ok'>, FailurePolicy>> = {
  auth: {
    retries: 0,
    backoffMs: 0,
    fallback: true,
    countsAgainstHealth: true,
    meaning: 'The agent is not logged in, or its key was refused.',
  },
  rate_limit: {
    retries: 3,
    backoffMs: 5000,
    fallback: true,
    countsAgainstHealth: false,
    meaning: 'The provider asks for a pause.',
  },
  quota: {
    retries: 0,
    backoffMs: 0,
    fallback: true,
    countsAgainstHealth: false,
    meaning: 'The account is used up until its window resets.',
  },
  server: {
    retries: 2,
    backoffMs: 2000,
    fallback: true,
    countsAgainstHealth: false,
    meaning: 'The provider failed.',
  },
  network: {
    retries: 2,
    backoffMs: 2000,
    fallback: true,
    countsAgainstHealth: true,
    meaning: 'The provider cannot be reached.',
  },
  stream: {
    retries: 2,
    backoffMs: 1000,
    fallback: true,
    countsAgainstHealth: false,
    meaning: 'The answer broke off or was garbled on its way.',
  },
  context_too_long: {
    retries: 0,
    backoffMs: 0,
    fallback: true,
    countsAgainstHealth: false,
    meaning: 'The prompt does not fit the model.',
  },
  timeout: {
    retries: 0,
    backoffMs: 0,
    fallback: true,
    countsAgainstHealth: true,
    meaning: 'The agent took too long or stopped sending.',
  },
  cancelled: {
    retries: 0,
    backoffMs: 0,
    fallback: false,
    countsAgainstHealth: false,
    meaning: 'Charrette cancelled the call.',
  },
  limit: {
    retries: 0,
    backoffMs: 0,
    fallback: true,
    countsAgainstHealth: false,
    meaning: 'A limit on turns, money or output was reached.',
  },
  bad_output: {
    retries: 1,
    backoffMs: 0,
    fallback: true,
    countsAgainstHealth: false,
    meaning: 'There was no answer, or not the JSON that was asked for.',
  },
  crash: {
    retries: 1,
    backoffMs: 500,
    fallback: true,
    countsAgainstHealth: true,
    meaning: 'The agent program failed without saying why.',
  },
  denied: {
    retries: 0,
    backoffMs: 0,
    fallback: true,
    countsAgainstHealth: true,
    meaning: 'An agent with read access changed files.',
  },
  not_substantive: {
    retries: 1,
    backoffMs: 0,
    fallback: true,
    countsAgainstHealth: false,
    meaning: 'The answer is too thin to count.',
  },
  unhealthy: {
    retries: 0,
    backoffMs: 0,
    fallback: true,
    countsAgainstHealth: true,
    meaning: 'The agent program is missing or does not start.',
  },
};

/** How long to wait before retry number `retry` (1 is the first), or `undefined` when there is none left. */
export function retryDelayMs(
  kind: LaneKind,
  retry: number,
  retryAfterMs = 0,
  longestMs = 60_000,
): number | undefined {
  if (kind === 'ok') return undefined;
  const policy = failurePolicies[kind];
  if (retry > policy.retries) return undefined;
  return Math.min(longestMs, Math.max(retryAfterMs, policy.backoffMs * 2 ** (retry - 1)));
}

/** Words in the agents' messages; first match wins, so the more specific come first. */
const wordings: readonly (readonly [LaneKind, RegExp])[] = [
  [
    'context_too_long',
    /prompt[ _]is[ _]too[ _]long|prompt_too_long|(?:maximum|model's|effective) context|context[ _]?(?:length|window|limit|overflow)|token count .{0,40}exceeds|too many (?:input )?tokens|request too large/i,
  ],
  // Another version of the program than the one its driver was written for.
  ['unhealthy', /(?:unknown|unrecogni[sz]ed|unexpected) (?:option|argument|flag|command)/i],
  // Money that is used up, unlike a quota, does not come back by waiting.
  [
    'limit',
    /maximum (?:budget|number of turns)|max(?:imum)?[_ ](?:turns|budget)|budget_exhausted|output token maximum|credit balance|out of (?:usage )?credits|spend limit|shared budget/i,
  ],
  [
    'rate_limit',
    /rate.?limit|too many requests|quota|resource_exhausted|usage limit|hit your [\w' -]{0,40}limit|(?:hour|session|daily|weekly|monthly) limit reached|request allowance/i,
  ],
  // A portal's page says "please log in" to every caller that asks for a stream.
  ['stream', /non-SSE response/i],
  [
    'auth',
    /unauthori[sz]ed|not authori[sz]ed|unauthenticated|authenticat|(?:invalid|incorrect) (?:x-)?api.?key|api key (?:not|is)|missing environment variable\W+\w*(?:key|token)|not (?:logged|signed) in|(?:log|sign) ?in again|please (?:log|sign) ?in|\/login|\/auth\b|auth method|no provider configured|forbidden|permission_denied|credentials? (?:are|is|not|expired)/i,
  ],
  [
    'bad_output',
    /empty (?:response|answer)|no response was returned|not valid json|plain text instead of calling/i,
  ],
  ['network', /econnrefused|connection refused|error sending request|could not connect/i],
  [
    'stream',
    /stream|mid-response|malformed|non-SSE|json pars|parse error|unterminated|incomplete json|serialization error|decod(?:e|ing)|terminated|connection (?:was )?(?:reset|closed|lost)|econnreset|socket|finish reason|disconnected/i,
  ],
  [
    'network',
    /econnrefused|enotfound|etimedout|eai_again|enetunreach|connection refused|(?:could not|cannot|unable to|failed to) connect|connection (?:error|failed|timed out)|fetch failed|network|error sending request|certificate/i,
  ],
  ['timeout', /(?:request|call) timed out/i],
  [
    'server',
    /server[ _](?:had an )?error|error occurred while processing|high demand|at capacity|internal(?: error|"|_)|overloaded|bad gateway|service unavailable|api_error/i,
  ],
];

/** The kind of a provider's status code. A 400 alone says nothing; its words may. */
export function kindOfStatus(status: number): LaneKind | undefined {
  if (status === 401 || status === 403) return 'auth';
  if (status === 408) return 'network';
  if (status === 413) return 'context_too_long';
  if (status === 429) return 'rate_limit';
  if (status === 402) return 'limit';
  if (status >= 500 && status <= 599) return 'server';
  return undefined;
}

/** The kind of a failure, from the status when there is one, else from the words; `crash` when nothing fits. */
export function classifyFailure(message: string, status = statusIn(message)): LaneKind {
  const words = wordings.find(([, pattern]) => pattern.test(message))?.[0];
  if (words === 'context_too_long') return words;
  return (status === undefined ? undefined : kindOfStatus(status)) ?? words ?? 'crash';
}

/** A provider's status code inside a message, at the places where such codes are written. */
export function statusIn(message: string): number | undefined {
  const match =
    /(?:API Error:?|status(?: code)?|HTTP(?: error)?|"code"|"statusCode"|"http_status"|\berror)\W{0,4}([45]\d\d)\b|\(([45]\d\d)(?: [A-Z][\w ]*)?\)|^([45]\d\d)\b/i.exec(
      message,
    );
  const digits = match?.[1] ?? match?.[2] ?? match?.[3];
  return digits === undefined ? undefined : Number(digits);
}

/** A pause that the message asks for (`try again in 12s`, `retry-after: 3`), at most an hour; one of hours or days is none. */
export function retryAfterIn(message: string): number | undefined {
  const match =
    /(?:retry|try again)[- _]?(?:after|in|delay)"?:?\s*"?(\d+(?:\.\d+)?)(?![\d.]*\s*[hd])\s*(ms|s|m)?/i.exec(
      message,
    );
  if (match?.[1] === undefined) return undefined;
  const unit = match[2] === 'ms' ? 1 : match[2] === 'm' ? 60_000 : 1000;
  return Math.min(3_600_000, Math.ceil(Number(match[1]) * unit));
}
