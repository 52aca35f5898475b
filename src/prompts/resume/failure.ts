/** What came back from a continued session. */
export type ResumedAnswer = {
  text: string;
  /** The driver's own failure, if it saw one. */
  error?: string;
  /** Tokens the agent says it used; absent when it does not say. */
  totalTokens?: number;
  expectedAgentId: string;
  agentId?: string;
  /** Whether a usable verdict was found, after one retry. */
  parsed: boolean;
};

const lostTranscript =
  /\b(?:no (?:prior|previous|earlier) (?:context|conversation|review)|(?:don't|do not|cannot|can't) (?:have|see|recall|find) (?:any |the |my )?(?:prior|previous|earlier))\b/i;

/** Tricky case 9: why a continued call counts as failed; `undefined` when it can be used. A changed id alone is fine. */
export function resumeFailure({ text, error, totalTokens, parsed }: ResumedAnswer): string | undefined {
  if (error !== undefined && error !== '') return error;
  if (text.trim() === '') return 'empty answer';
  if (totalTokens === 0) return 'the agent used no tokens';
  if (!parsed && lostTranscript.test(text.slice(0, 4_000))) return 'the agent lost its transcript';
  return parsed ? undefined : 'no usable answer after one retry';
}
