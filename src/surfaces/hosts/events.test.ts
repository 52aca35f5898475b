import { expect, test } from 'vitest';
import { hookHosts, renderDecision } from './events.ts';

const said = (host: (typeof hookHosts)[number], event: 'session-start' | 'stop') => {
  const decision =
    event === 'session-start'
      ? ({ kind: 'context', text: 'card' } as const)
      : ({ kind: 'go-on', reason: 'why' } as const);
  return JSON.parse(renderDecision(host, event, decision));
};

test('each host gets context and refusals in its own words', () => {
  expect(said('claude', 'session-start')).toEqual({
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'card' },
  });
  expect(said('codex', 'session-start')).toEqual(said('claude', 'session-start'));
  expect(said('gemini', 'session-start')).toEqual(said('claude', 'session-start'));
  expect(said('cursor', 'session-start')).toEqual({ additional_context: 'card' });
  expect(said('claude', 'stop')).toEqual({ decision: 'block', reason: 'why' });
  expect(said('codex', 'stop')).toEqual({ decision: 'block', reason: 'why' });
  expect(said('gemini', 'stop')).toEqual({ decision: 'deny', reason: 'why' });
  expect(said('cursor', 'stop')).toEqual({ followup_message: 'why' });
});

test('nothing to say is silence, and an event that a host does not have is too', () => {
  for (const host of hookHosts) expect(renderDecision(host, 'stop', { kind: 'nothing' })).toBe('');
  expect(renderDecision('claude', 'before-agent', { kind: 'context', text: 'x' })).toBe('');
});
