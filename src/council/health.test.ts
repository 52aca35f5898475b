import { expect, test } from 'vitest';
import { afterLaneFailure, healthFrom, healthWarning, isUp } from './health.ts';

const run = healthFrom({
  cursor: { available: true, healthy: true },
  codex: { available: true, healthy: false, reason: 'no reply' },
  gone: { available: false, healthy: true },
  silent: { available: true },
});

test('L-123 an agent is on only when it is there and healthy', () => {
  expect(['cursor', 'codex', 'gone', 'silent', 'unheard-of'].map((agent) => isUp(run, agent))).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('F-11 L-126 L-978 a probe without a verdict is unhealthy', () => {
  expect(isUp(run, 'silent')).toBe(false);
});

test('panel/C-30 L-911 L-913 one failed lane is counted; a failed re-probe switches the agent off permanently', () => {
  const counted = afterLaneFailure(run, { agent: 'cursor', reason: 'timeout', reprobeHealthy: true });
  expect(isUp(counted, 'cursor')).toBe(true);
  expect(counted.agents['cursor']?.failedLanes).toBe(1);
  const off = afterLaneFailure(counted, { agent: 'cursor', reason: 'dead', reprobeHealthy: false });
  expect(isUp(off, 'cursor')).toBe(false);
  const later = afterLaneFailure(off, { agent: 'cursor', reason: 'again', reprobeHealthy: true });
  expect(later.agents['cursor']).toMatchObject({ healthy: false, failedLanes: 3, reason: 'dead' });
});

test('L-374 the older rule switches off after one lane', () => {
  const off = afterLaneFailure(run, { agent: 'cursor', reason: 'timeout' }, 'after-one-lane');
  expect(isUp(off, 'cursor')).toBe(false);
});

test('L-123 the two warnings', () => {
  const warn = (agent: string, title: string) => {
    const health = run.agents[agent];
    return health === undefined ? undefined : healthWarning(title, health, 'Claude');
  };
  expect(warn('gone', 'Codex')).toBe(
    '**⚠ Codex not available (binary not found). Proceeding without Codex reviewer.**',
  );
  expect(warn('codex', 'Codex')).toBe(
    '**⚠ Codex installed but not responding (health check failed: no reply). Using Claude replacement.**',
  );
  expect(warn('cursor', 'Cursor')).toBeUndefined();
});
