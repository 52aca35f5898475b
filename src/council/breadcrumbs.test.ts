import { expect, test } from 'vitest';
import {
  dialecticPayload,
  endLine,
  icons,
  overflowLines,
  parseStepPrefix,
  payloads,
  rejectedPayload,
  startLine,
  statusLine,
  stepName,
  stepOrder,
  steps,
} from './breadcrumbs.ts';

const nested = parseStepPrefix('1.::design plan');

test('L-008 the prefix is split at its first ::', () => {
  expect(nested).toEqual({ number: '1.', path: 'design plan' });
  expect(parseStepPrefix('1.')).toEqual({ number: '1.', path: '' });
  expect(parseStepPrefix('1.::a::b')).toEqual({ number: '1.', path: 'a::b' });
  expect(parseStepPrefix('::a')).toEqual({ number: '', path: 'a' });
});

test('L-020 L-032 steps and their names in order', () => {
  expect(stepOrder.map((step) => `${step} ${steps[step]}`).join(' · ')).toBe(
    '0 setup · 1 branch · 1c questions · 1d discussion r1 · 2a sketches · 2a.5 dialectic · 2b full plan · 3 plan review · 3.5 discussion r2 · 3b arch diagram · 4 rejected findings · 5 cleanup',
  );
});

test('L-030 L-031 L-033 start lines', () => {
  expect(startLine('1')).toBe(`${'━'.repeat(80)}\n> **🔶 1: branch**`);
  expect(startLine('1', nested)).toBe(`${'━'.repeat(80)}\n> **🔶 1.1: design plan | branch**`);
  expect(stepName('2a.5', nested)).toBe('1.2a.5: design plan | dialectic');
  expect(startLine('1', undefined, payloads.usingBranch('ann/x')).split('\n')[1]).toBe(
    '> **🔶 1: branch — using existing: ann/x**',
  );
});

test.each([
  [endLine('skip', '1c', payloads.auto, 0), '⏩ 1c: questions — skipped (auto mode) (0s)'],
  [
    endLine('done', '1c', payloads.noQuestions, 45_000),
    '✅ 1c: questions — no clarifying questions needed (45s)',
  ],
  [
    endLine('skip', '1d', payloads.noScopeDecisions, 0),
    '⏩ 1d: discussion r1 — no scope decisions require discussion (0s)',
  ],
  [
    endLine('done', '1d', payloads.resolved(3), 151_000),
    '✅ 1d: discussion r1 — 3 decisions resolved (2m31s)',
  ],
  [endLine('done', '2a', payloads.synthesisSaved, 0), '✅ 2a: sketches — synthesis saved (0s)'],
  [
    endLine('skip', '2a.5', payloads.noContestedDecisions, 0),
    '⏩ 2a.5: dialectic — no contested decisions (0s)',
  ],
  [endLine('done', '2b', payloads.saved, 3_780_000), '✅ 2b: full plan — saved (1h3m)'],
  [
    endLine('skip', '3.5', payloads.noFurtherDecisions, 0),
    '⏩ 3.5: discussion r2 — no additional decisions require discussion (0s)',
  ],
  [endLine('done', '3b', payloads.diagramGenerated, 0), '✅ 3b: arch diagram — generated (0s)'],
  [endLine('bypass', '3b', 'x', 0), '⏭️ 3b: arch diagram — x (0s)'],
  [overflowLines.round1, '⏩ Remaining scope questions deferred to implementation.'],
  [overflowLines.round2, '⏩ Remaining design questions deferred to implementation.'],
])('L-034 L-035 L-036 L-037 L-170 L-172 L-177 L-181 L-476 L-720 L-724 %s', (line, expected) => {
  expect(line).toBe(expected);
});

test('L-035 the icons', () => {
  expect(Object.values(icons).join(' ')).toBe('🔶 ✅ ⏩ ⏭️ ⚠ 🔃 ⏳ ⚡ 📊');
});

test('L-533 counts of zero are left out', () => {
  expect(dialecticPayload({ voted: 2, 'fallback-to-synthesis': 1, 'bucket-skipped': 0, 'over-cap': 3 })).toBe(
    '2 voted, 1 fallback, 3 over-cap',
  );
});

test('L-781 panel/C-19 three texts of step 4, and the old one on request', () => {
  expect(rejectedPayload(0, 0)).toBe('no suggestions raised');
  expect(rejectedPayload(3, 0)).toBe('all suggestions implemented');
  expect(rejectedPayload(3, 2)).toBe('2 suggestions not implemented');
  expect(rejectedPayload(3, 2, { nested: true })).toBe('saved');
  expect(rejectedPayload(0, 0, { compatible: true })).toBe('all suggestions implemented');
});

test('L-038 L-040 L-041 L-042 status lines, without breadcrumb prefix', () => {
  expect(
    statusLine('sketches-regular', [
      { label: 'Cursor-Arch', status: { state: 'pending' } },
      { label: 'Cursor-Edge', status: { state: 'done', elapsedMs: 185_000 } },
      { label: 'Codex-Innovation', status: { state: 'failed', elapsedMs: 483_000 } },
      { label: 'Codex-Pragmatic', status: { state: 'skipped' } },
    ]),
  ).toBe(
    '📊 Sketches (regular): | Cursor-Arch: ⏳ | Cursor-Edge: ✅ 3m5s | Codex-Innovation: ❌ 8m3s | Codex-Pragmatic: ⊘ |',
  );
  expect(statusLine('sketches-quick', [])).toContain('📊 Sketches (quick): |');
  expect(statusLine('reviewers', [{ label: 'A', status: { state: 'pending' } }])).toBe(
    '📊 Reviewers: | A: ⏳ |',
  );
});
