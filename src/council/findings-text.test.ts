import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readFindings, renderFindings } from './findings-text.ts';
import { hasSecurityTag, isSecurityFinding } from './review.ts';

function findings(text: string) {
  const reading = readFindings(text);
  if (!reading.ok) throw new Error(reading.problem);
  return reading.findings;
}

test('L-584 L-590 a numbered list with tags, scopes, citations and suggestions', () => {
  const text = `I explored the code base first.

1. **[correctness]** Lock is never released — src/lock.ts:12-14 returns early and leaves the file behind.
   Suggested revision: release it in a finally block.
2. [OUT_OF_SCOPE] [risk-integration] Old cleanup script: scripts/clean.sh:3 deletes too much.
3. **Focus area**: security
   **Severity**: Latent
   **Concern**: The token is logged.
   **Suggested revision**: Mask it.`;
  const [lock, old, token] = findings(text);
  expect(lock).toMatchObject({
    title: 'Lock is never released',
    focusArea: 'correctness',
    severity: 'Important',
    suggestedRevision: 'release it in a finally block.',
    citations: [{ file: 'src/lock.ts', line: 12, endLine: 14, quote: null }],
    outOfScope: false,
  });
  expect(old).toMatchObject({ focusArea: 'risk-integration', outOfScope: true, title: 'Old cleanup script' });
  expect(token).toMatchObject({
    focusArea: 'security',
    severity: 'Latent',
    concern: 'The token is logged.',
    suggestedRevision: 'Mask it.',
  });
});

test('L-587 L-590 two lists: findings under the observations are out of scope', () => {
  const text = `### In-Scope Findings
#### 1. Missing test
- **Concern**: nothing covers the retry.
### Out-of-Scope Observations
1. Typo in docs/guide.md:3
`;
  expect(findings(text).map(({ title, outOfScope }) => [title, outOfScope])).toEqual([
    ['Missing test', false],
    ['Typo in docs/guide.md:3', true],
  ]);
});

test('L-590 blocks with ids are read too', () => {
  expect(
    findings('### FINDING_1: A\n- **Concern**: b\n\n### OOS_1: C\n- **Concern**: d').map(
      ({ title, concern, outOfScope }) => [title, concern, outOfScope],
    ),
  ).toEqual([
    ['A', 'b', false],
    ['C', 'd', true],
  ]);
});

test.each([
  [
    'bold numbers',
    '**1. [correctness] Lock leaks**\n**Concern:** early\n**Suggested revision:** finally\n\n**2. [architecture] Layers**\n**Concern:** many',
  ],
  [
    'headings with numbers',
    '## Finding 1: Lock leaks\n- **Focus area**: correctness\n- **Concern**: early\n- **Suggested revision**: finally\n\n## Finding 2: Layers\n- **Focus area**: architecture',
  ],
  [
    'headings with tags behind',
    '### 1. Lock leaks (correctness)\nearly\nSuggested revision: finally\n\n### 2. Layers (architecture)\nmany',
  ],
  [
    'headings with tags before',
    '#### [correctness] Lock leaks\nearly. Suggested: finally\n#### [architecture] Layers\nmany',
  ],
  [
    'bold names with a dash',
    '**Finding 1 — Lock leaks** (focus-area: correctness)\nConcern: early\nSuggested revision: finally\n\n**Finding 2 — Layers** (focus-area: architecture)',
  ],
  [
    'tagged bullets',
    '- **[correctness]** Lock leaks. It is early. Suggested fix: finally\n- **[architecture]** Layers.',
  ],
  [
    'closing words',
    'So:\n\n1. **Lock leaks** [correctness]\n   - Concern: early\n   - Suggested revision: finally\n2. **Layers** [architecture]\n   - Concern: many\n   - Suggested revision: none\n\nNo other issues. The plan is sound.',
  ],
])('L-590 the ways agents write lists: %s', (_, text) => {
  const read = findings(text);
  expect(read.map(({ title, focusArea }) => [title, focusArea])).toEqual([
    ['Lock leaks', 'correctness'],
    ['Layers', 'architecture'],
  ]);
  expect(read[0]?.suggestedRevision).toBe('finally');
  expect(JSON.stringify(read)).not.toContain('plan is sound');
});

test.each([
  'NO_ISSUES_FOUND',
  '  NO_ISSUES_FOUND\n',
  'I read all of it.\n\n**NO_ISSUES_FOUND**',
  '`NO_ISSUES_FOUND`.',
])('L-379 %j means no findings', (text) => {
  expect(findings(text)).toEqual([]);
});

test.each([
  '',
  'The plan looks good to me.',
  'Authentication required. Please log in.',
  'I found NO_ISSUES_FOUND_YET here',
])('F-23 F-05 %j is unreadable, not "no issues"', (text) => {
  expect(readFindings(text).ok).toBe(false);
});

test('F-23 every numbered item is read, with any narration and without trailing newline', () => {
  const word = fc.stringMatching(/^[a-z]{3,9}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), word, (titles, narration) => {
      const text = `${narration} ${narration}\n\n${titles.map((title, index) => `${index + 1}. [architecture] ${title} — because`).join('\n')}`;
      expect(findings(text).map(({ title }) => title)).toEqual(titles);
    }),
  );
});

describe('L-694 F-43 the security tag', () => {
  test.each([
    ['plain', 'focus-area = security', true],
    ['any case', 'Focus-Area=SECURITY', true],
    ['a field line', '- **focus-area**: security', true],
    ['a title tag', '[security] token leak', true],
    ['in a code span', 'write `focus-area = security` in the title', false],
    ['in a fence', 'Example:\n```\nfocus-area = security\n```\ndone', false],
    ['in a fence and outside', '```\nfocus-area=security\n```\nfocus-area=security', true],
    ['in a fence that never closes', '```\nfocus-area = security', true],
    ['not at all', 'security matters', false],
  ])('%s', (_, text, expected) => {
    expect(hasSecurityTag(text)).toBe(expected);
  });

  test('a finding of the security area is held whatever its words', () => {
    const finding = { title: 't', concern: 'c', suggestedRevision: 's' };
    expect(isSecurityFinding({ ...finding, focusArea: 'security' })).toBe(true);
    expect(isSecurityFinding({ ...finding, focusArea: 'correctness' })).toBe(false);
  });
});

test('L-584 a reviewer’s findings are written as the list they are read from', () => {
  const finding = {
    title: 'The limit is not configurable',
    focusArea: 'architecture' as const,
    severity: 'Latent' as const,
    concern: 'Operators cannot change it.\n\nNot even at start.',
    suggestedRevision: 'Read it from the configuration.',
    citations: [{ file: 'src/limit.ts', line: 3, endLine: 9, quote: null }],
    outOfScope: false,
  };
  const findings = [finding, { ...finding, title: 'Logs grow without end', outOfScope: true }];
  expect(renderFindings(findings)).toMatch(
    /^1\. \*\*architecture\*\* \[Latent\] The limit is not configurable\n {3}- \*\*Concern\*\*: Operators/,
  );
  expect(readFindings(renderFindings(findings))).toEqual({ ok: true, findings });
  expect(renderFindings([])).toBe('NO_ISSUES_FOUND\n');
});
