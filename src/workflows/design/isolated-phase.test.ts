import { expect, test } from 'vitest';
import {
  parseWorkerStatus,
  renderWorkerStatus,
  requiredArtifacts,
  workerFailureWarning,
  workerGate,
} from './isolated-phase.ts';

const sizes = Object.fromEntries([
  ...requiredArtifacts.notEmpty.map((name) => [name, 5]),
  ...requiredArtifacts.exists.map((name) => [name, 0]),
]);

test('L-254 L-255 L-256 L-257 L-259 F-01 F-02 F-03 L-976 the gate wants the status line and every artifact', () => {
  expect(workerGate('DESIGN_HEAVY=complete\nDESIGN_SUMMARY_FILE=x', sizes)).toEqual({ status: 'complete' });
  const yielded = { status: 'failed', reason: 'worker-yielded-without-artifacts' };
  for (const words of [
    '',
    'All done! The plan is ready.',
    'DESIGN_HEAVY=maybe',
    'I say DESIGN_HEAVY=complete',
  ]) {
    expect(workerGate(words, sizes)).toEqual(yielded);
  }
  for (const name of Object.keys(sizes)) {
    const { [name]: _, ...rest } = sizes;
    expect(workerGate('DESIGN_HEAVY=complete', rest)).toEqual(yielded);
  }
  for (const name of requiredArtifacts.notEmpty) {
    expect(workerGate('DESIGN_HEAVY=complete', { ...sizes, [name]: 0 })).toEqual(yielded);
  }
  expect(workerGate('DESIGN_HEAVY=failed REASON=dirty-tree', sizes)).toEqual({
    status: 'failed',
    reason: 'dirty-tree',
  });
});

test('panel/C-08 the resolutions file belongs to what must exist', () => {
  expect(requiredArtifacts.exists).toContain('dialectic-resolutions.md');
});

test('L-253 L-260 L-261 L-263 L-264 status line, next step, warnings', () => {
  const failed = { status: 'failed' as const, reason: 'dirty-tree' };
  expect(parseWorkerStatus(renderWorkerStatus(failed))).toEqual(failed);
  expect(workerFailureWarning('x', false, 'D')).toBe(
    '**⚠ 2a: sketches — heavy worker subagent failed: x. Preserving D for inspection.**',
  );
  expect(workerFailureWarning('x', true, 'D')).toContain('MANIFEST_FAILED');
  expect(workerFailureWarning('x', true, 'D', { number: '1.', path: 'design plan' })).toMatch(
    /^\*\*⚠ 1\.2a: design plan \| sketches — heavy worker/,
  );
});
