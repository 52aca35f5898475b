/** What hosts tell a hook, under one set of names. */
export const hookEvents = ['session-start', 'pre-compact', 'before-agent', 'stop', 'pre-tool-use'] as const;

export type HookEvent = (typeof hookEvents)[number];

export const hookHosts = ['claude', 'codex', 'cursor', 'gemini'] as const;

export type HookHost = (typeof hookHosts)[number];

/** How each host names the events it has; one without a name is served another way. */
export const eventNames: Readonly<Record<HookHost, Partial<Record<HookEvent, string>>>> = {
  claude: {
    'session-start': 'SessionStart',
    'pre-compact': 'PreCompact',
    stop: 'Stop',
    'pre-tool-use': 'PreToolUse',
  },
  codex: {
    'session-start': 'SessionStart',
    'pre-compact': 'PreCompact',
    stop: 'Stop',
    'pre-tool-use': 'PreToolUse',
  },
  // Gemini starts no session after a compaction: the next turn is the first chance to say something.
  gemini: {
    'session-start': 'SessionStart',
    'pre-compact': 'PreCompress',
    'before-agent': 'BeforeAgent',
    stop: 'AfterAgent',
    'pre-tool-use': 'BeforeTool',
  },
  // Cursor puts what a hook says at the start of a session into the context; it has no start after a compaction.
  cursor: {
    'session-start': 'sessionStart',
    'pre-compact': 'preCompact',
    stop: 'stop',
    'pre-tool-use': 'preToolUse',
  },
};

/** What a hook decides; each host wants it in its own words. */
export type HookDecision =
  | { kind: 'nothing' }
  | { kind: 'context'; text: string }
  | { kind: 'go-on'; reason: string }
  | { kind: 'deny'; reason: string };

/** The answer of a hook as the host reads it; an empty text is silence. */
export function renderDecision(host: HookHost, event: HookEvent, decision: HookDecision): string {
  const value = answerOf(host, event, decision);
  return value === undefined ? '' : `${JSON.stringify(value)}\n`;
}

function answerOf(host: HookHost, event: HookEvent, decision: HookDecision): unknown {
  const hookEventName = eventNames[host][event];
  if (decision.kind === 'nothing' || hookEventName === undefined) return undefined;
  if (decision.kind === 'context') {
    return host === 'cursor'
      ? { additional_context: decision.text }
      : { hookSpecificOutput: { hookEventName, additionalContext: decision.text } };
  }
  const { reason } = decision;
  if (decision.kind === 'go-on') {
    if (host === 'cursor') return { followup_message: reason };
    return { decision: host === 'gemini' ? 'deny' : 'block', reason };
  }
  if (host === 'cursor') return { permission: 'deny', user_message: reason, agent_message: reason };
  if (host === 'gemini') return { decision: 'deny', reason };
  return {
    hookSpecificOutput: {
      hookEventName,
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    },
  };
}
