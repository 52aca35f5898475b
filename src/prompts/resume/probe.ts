/** T-115: four things an agent must show before its sessions are continued. */
export type ProbeFacts = {
  /** A session id came back from a call that read a file. */
  agentId: string | undefined;
  usedTools: boolean;
  /** The error of the continued call, if any. */
  resumeError: string | undefined;
  /** First line of the file that was read, and how the continued session quoted it. */
  firstLine: string;
  quotedLine: string;
  /** Issues in the first answer, and how many the continued session says there were. */
  issueCount: number;
  statedIssueCount: number | undefined;
};

/** `passing` failures (no login, no network) say nothing about the agent and are not remembered. */
export type ProbeResult = { passed: true } | { passed: false; reason: string; passing?: boolean };

type Check = { id: string; failure: (facts: ProbeFacts) => string | undefined };

const checks: readonly Check[] = [
  {
    id: 'V1',
    failure: ({ agentId, usedTools }) => {
      if (agentId === undefined || agentId === '') return 'no agent id came back';
      return usedTools ? undefined : 'the first call did not read the file';
    },
  },
  { id: 'V2', failure: ({ resumeError }) => resumeError },
  {
    id: 'V3',
    failure: ({ firstLine, quotedLine }) =>
      quotes(quotedLine, firstLine.trim()) ? undefined : 'the line was not repeated verbatim',
  },
  {
    id: 'V4',
    failure: ({ issueCount, statedIssueCount }) =>
      issueCount === statedIssueCount
        ? undefined
        : `${String(statedIssueCount)} issues remembered, there were ${issueCount}`,
  },
];

/** The line stands in the answer and does not go on there. */
function quotes(answer: string, line: string): boolean {
  if (line === '') return false;
  return answer
    .split(line)
    .slice(1)
    .some((rest) => !/^[\p{L}\p{N}_]/u.test(rest));
}

/** T-115, T-116: all four must hold; the reason names the first that did not, as `.meta.json` keeps it. */
export function evaluateProbe(facts: ProbeFacts): ProbeResult {
  for (const { id, failure } of checks) {
    const reason = failure(facts);
    if (reason !== undefined) return { passed: false, reason: `${id}: ${reason}` };
  }
  return { passed: true };
}

/** What is remembered about an agent; another version has to be probed again. */
export type ProbeMemory = Readonly<Record<string, { version: string; result: ProbeResult; time: string }>>;

export function rememberedProbe(
  memory: ProbeMemory,
  agent: string,
  version: string,
): ProbeResult | undefined {
  const entry = Object.hasOwn(memory, agent) ? memory[agent] : undefined;
  return entry?.version === version ? entry.result : undefined;
}
