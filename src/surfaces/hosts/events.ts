import { createHash } from 'node:crypto';
import path from 'node:path';
import { isRecord, readJson } from '../../base/safe-json.ts';

/** What a host says when it calls a hook. Everything may be missing: a hook never fails over its input. */
export type HookInput = {
  session: string;
  cwd: string;
  transcript: string | undefined;
  /** Why a session starts: startup, resume, clear, compact. */
  source: string;
  /** The agent continues already because a stop was refused; refusing again would never end. */
  goingOn: boolean;
};

const largest = 4 * 1024 * 1024;

/** Reads the JSON on stdin of a hook; hosts differ in a few names. */
export function readHookInput(text: string, cwd: string): HookInput {
  const reading = readJson(text.trim() === '' ? '{}' : text, largest);
  const value = reading.ok && isRecord(reading.value) ? reading.value : {};
  const string = (...names: string[]) => {
    for (const name of names) if (typeof value[name] === 'string') return value[name];
    return undefined;
  };
  const roots = Array.isArray(value['workspace_roots']) ? value['workspace_roots'] : [];
  const given = string('cwd') ?? (typeof roots[0] === 'string' ? roots[0] : undefined);
  const transcript = string('transcript_path');
  return {
    session: safeName(string('session_id', 'conversation_id') ?? ''),
    cwd: given !== undefined && path.isAbsolute(given) ? given : cwd,
    transcript: transcript !== undefined && path.isAbsolute(transcript) ? transcript : undefined,
    source: string('source') ?? '',
    goingOn: value['stop_hook_active'] === true || Number(value['loop_count'] ?? 0) > 0,
  };
}

/** A session id becomes a file name, so only plain characters are accepted. */
function safeName(session: string): string {
  if (/^[\w-]{1,80}$/.test(session)) return session;
  return session === '' ? 'unnamed' : createHash('sha256').update(session).digest('hex').slice(0, 32);
}

/** What hosts tell a hook, under one set of names. */
export const hookEvents = ['session-start', 'pre-compact', 'before-agent', 'stop'] as const;

export type HookEvent = (typeof hookEvents)[number];

export const hookHosts = ['claude', 'codex', 'cursor', 'gemini'] as const;

export type HookHost = (typeof hookHosts)[number];

/** How each host names the events it has; one without a name is served another way. */
export const eventNames: Readonly<Record<HookHost, Partial<Record<HookEvent, string>>>> = {
  claude: {
    'session-start': 'SessionStart',
    'pre-compact': 'PreCompact',
    stop: 'Stop',
  },
  codex: {
    'session-start': 'SessionStart',
    'pre-compact': 'PreCompact',
    stop: 'Stop',
  },
  // Gemini starts no session after a compaction: the next turn is the first chance to say something.
  gemini: {
    'session-start': 'SessionStart',
    'pre-compact': 'PreCompress',
    'before-agent': 'BeforeAgent',
    stop: 'AfterAgent',
  },
  // Cursor puts what a hook says at the start of a session into the context; it has no start after a compaction.
  cursor: {
    'session-start': 'sessionStart',
    'pre-compact': 'preCompact',
    stop: 'stop',
  },
};

/** What a hook decides; each host wants it in its own words. */
export type HookDecision =
  | { kind: 'nothing' }
  | { kind: 'context'; text: string }
  | { kind: 'go-on'; reason: string };

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
  if (host === 'cursor') return { followup_message: reason };
  return { decision: host === 'gemini' ? 'deny' : 'block', reason };
}
