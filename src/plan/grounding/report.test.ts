import { expect, test } from 'vitest';
import { type GroundingFact, groundingText, reportOf } from './grounding.ts';

const fact = (severity: GroundingFact['severity']): GroundingFact => ({
  check: 'file',
  subject: 'src/a.ts',
  result: 'found',
  severity,
  basis: 'exact',
  reason: 'it is there',
});
const lastLine = (...severities: GroundingFact['severity'][]) =>
  groundingText(reportOf('0123456789abcdef', severities.map(fact)))
    .split('\n')
    .at(-1);

test('marks the total with the worst severity', () => {
  expect(lastLine('none')).toBe('✓ 1 of 1 claims hold at 0123456789ab; 0 errors, 0 warnings');
  expect(lastLine('none', 'warning')).toBe('⚠ 1 of 2 claims hold at 0123456789ab; 0 errors, 1 warnings');
  expect(lastLine('none', 'warning', 'error')).toMatch(/^✗ 1 of 3 claims hold .* 1 errors, 1 warnings$/);
});
