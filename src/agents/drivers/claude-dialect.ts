import type { LaneKind } from '../port.ts';
import { epochMs, type LimitNote } from '../quota.ts';
import type { Signal } from './driver.ts';
import {
  detailOf,
  type Fields,
  fieldsOf,
  listOf,
  measured,
  numberOf,
  objectOn,
  optionalNumber,
  optionalText,
  textOf,
} from './reading.ts';

/** Where the speakers of the dialect differ. */
export type ClaudeAccent = {
  /** Whether `input_tokens` already holds the cached ones. */
  inputHoldsCache: boolean;
  /** Whether a resumed run reports the whole conversation. */
  usageScope: 'total' | 'session';
  /** Whether an answer without any figures is one whose stream was cut: they come last. */
  figuresComeLast?: boolean;
};

/** How Claude Code prints: one JSON object a line, `result` at the end. Other programs copied it. */
export function parseClaude(line: string, accent: ClaudeAccent): Signal[] {
  const event = objectOn(line);
  if (event === undefined) return embeddedLimit(line, accent);
  switch (event['type']) {
    case 'system':
      return system(event);
    case 'assistant':
      return [...assistant(event), ...(accent.figuresComeLast ? missingFigures(event) : [])];
    case 'user':
      return toolResults(event);
    case 'tool_call':
      return toolCall(event);
    case 'rate_limit_event':
      return [{ type: 'limit', note: limitNote(fieldsOf(event['rate_limit_info'])) }];
    case 'result':
      return [...usage(event, accent), ...result(event)];
    default:
      return [];
  }
}

const embeddedStart = '{"type":"rate_limit_event"';

/** some versions write the event into the middle of another line; what is left of that is read again. */
function embeddedLimit(line: string, accent: ClaudeAccent): Signal[] {
  const start = line.indexOf(embeddedStart);
  if (start === -1) return [];
  let depth = 0;
  for (let at = start; at < line.length && at < start + 20_000; at += 1) {
    if (line[at] === '{') depth += 1;
    if (line[at] === '}') depth -= 1;
    if (depth > 0) continue;
    const event = objectOn(line.slice(start, at + 1));
    const rest = line.slice(0, start) + line.slice(at + 1);
    if (event === undefined || rest.includes(embeddedStart)) return [];
    return [...parseClaude(line.slice(start, at + 1), accent), ...parseClaude(rest, accent)];
  }
  return [];
}

/** Q-F1 to Q-F3: served calls carry it too, so it says what is left and not how the call ended. */
function limitNote(info: Fields): LimitNote {
  const windows = Object.values(fieldsOf(info['unifiedWindows'])).map(fieldsOf);
  const shares = [info, ...windows].flatMap(({ utilization }) => optionalNumber(utilization) ?? []);
  const isRejected = info['status'] === 'rejected' || info['status'] === 'denied';
  const resetsAt = isRejected ? epochMs(optionalNumber(info['resetsAt'])) : undefined;
  const window = optionalText(info['rateLimitType']);
  return {
    ...(resetsAt === undefined ? {} : { resetsAt }),
    ...(window === undefined ? {} : { window }),
    ...(shares.length === 0 ? {} : { usedShare: Math.max(...shares) }),
    ...(info['isUsingOverage'] === true ? { billed: true } : {}),
  };
}

function system(event: Fields): Signal[] {
  if (event['subtype'] === 'init') {
    return [{ type: 'session', id: textOf(event['session_id']), model: optionalText(event['model']) }];
  }
  if (event['subtype'] === 'api_retry' || event['subtype'] === 'retry') return retry(event);
  return [];
}

/** Qwen reports a pause without its reason; only rate limits make it wait this long, and we plan the wait. */
const longestPauseMs = 30_000;

function retry(event: Fields): Signal[] {
  const reason = optionalText(event['error']) ?? 'the model call failed';
  const status = optionalNumber(event['error_status']);
  const pause = numberOf(fieldsOf(event['data'])['delayMs']);
  const told: Signal = { type: 'retry', reason: status === undefined ? reason : `${reason} (${status})` };
  if (pause < longestPauseMs) return [told];
  const message = `The provider wants a pause: retry in ${Math.ceil(pause / 1000)}s.`;
  return [told, { type: 'strike', name: 'pause', allowed: 1, kind: 'rate_limit', message }];
}

function assistant(event: Fields): Signal[] {
  const content = listOf(fieldsOf(event['message'])['content']);
  if (event['is_api_error_message'] === true || typeof event['error'] === 'string') {
    const message = content.map((part) => textOf(part['text'])).join('');
    return [{ type: 'failure', message, status: optionalNumber(event['api_error_status']), passing: true }];
  }
  return content.flatMap((part): Signal[] => {
    if (part['type'] === 'text') return [{ type: 'text', text: textOf(part['text']) }];
    if (part['type'] !== 'tool_use' || answerTools.has(textOf(part['name']))) return [];
    const [tool, call] = [textOf(part['name']), optionalText(part['id'])];
    return [{ type: 'tool-start', tool, call, detail: detailOf(part['input']) }];
  });
}

function missingFigures(event: Fields): Signal[] {
  const message = fieldsOf(event['message']);
  const counts = fieldsOf(message['usage']);
  const counted = numberOf(counts['input_tokens']) + numberOf(counts['output_tokens']);
  if (message['stop_reason'] !== 'end_turn' || counted > 0) return [];
  return [{ type: 'failure', kind: 'stream', message: 'The answer broke off: it came without its figures.' }];
}

/** The tool for JSON answers does no work on the repository. */
const answerTools = new Set(['StructuredOutput', 'structured_output']);

function toolResults(event: Fields): Signal[] {
  return listOf(fieldsOf(event['message'])['content'])
    .filter((part) => part['type'] === 'tool_result')
    .map((part) => ({
      type: 'tool-end',
      call: optionalText(part['tool_use_id']),
      failed: part['is_error'] === true,
    }));
}

/** Cursor reports tools in separate events. */
function toolCall(event: Fields): Signal[] {
  const [tool = 'tool', body] = Object.entries(fieldsOf(event['tool_call']))[0] ?? [];
  const call = optionalText(event['call_id']);
  if (event['subtype'] === 'started') {
    return [{ type: 'tool-start', tool, call, detail: detailOf(fieldsOf(body)['args']) }];
  }
  return [{ type: 'tool-end', tool, call, failed: 'error' in fieldsOf(fieldsOf(body)['result']) }];
}

function usage(event: Fields, accent: ClaudeAccent): Signal[] {
  const counts = fieldsOf(event['usage']);
  if (!('input_tokens' in counts) && !('output_tokens' in counts)) return [];
  const cached = numberOf(counts['cache_read_input_tokens']);
  const cacheTotal = cached + numberOf(counts['cache_creation_input_tokens']);
  return [
    {
      type: 'usage',
      scope: accent.usageScope,
      usage: measured({
        input: numberOf(counts['input_tokens']) + (accent.inputHoldsCache ? 0 : cacheTotal),
        cached,
        output: numberOf(counts['output_tokens']),
        reasoning: numberOf(fieldsOf(counts['output_tokens_details'])['thinking_tokens']),
        usd: costOf(event),
      }),
    },
  ];
}

/** The total is that of the conversation; only the part since the last result is this run's. */
function costOf(event: Fields): number | undefined {
  const recent = event['model_usage_since_last_result'];
  const models = Object.values(fieldsOf(recent ?? event['modelUsage'])).map(fieldsOf);
  // A model without a list price is priced as if it were another one: that number is worth nothing.
  if (models.some((model) => model['costBasis'] === 'unknown')) return undefined;
  if (recent === undefined) return numberOf(event['total_cost_usd']);
  return models.reduce((sum, model) => sum + numberOf(model['costUSD']), 0);
}

/** Errors come as `subtype: "success"` with `is_error: true`, so the flag decides and not the name. */
function result(event: Fields): Signal[] {
  const session: Signal[] = event['session_id'] ? [{ type: 'session', id: textOf(event['session_id']) }] : [];
  const subtype = textOf(event['subtype']);
  if (event['is_error'] !== true && subtype === 'success') {
    const value = event['structured_output'] ?? event['structured_result'];
    return [...session, { type: 'success', text: textOf(event['result']), value }];
  }
  const message =
    optionalText(event['result']) ??
    optionalText(Array.isArray(event['errors']) ? event['errors'].map(String).join('\n') : undefined) ??
    optionalText(fieldsOf(event['error'])['message']) ??
    subtype;
  const kind = namedKinds[subtype] ?? namedKinds[textOf(event['terminal_reason'])];
  return [...session, { type: 'failure', message, kind, status: optionalNumber(event['api_error_status']) }];
}

const namedKinds: Readonly<Record<string, LaneKind>> = {
  error_max_turns: 'limit',
  error_max_budget_usd: 'limit',
  error_max_structured_output_retries: 'bad_output',
  prompt_too_long: 'context_too_long',
};
