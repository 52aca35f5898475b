import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diagramWarning } from '../council/breadcrumbs.ts';
import {
  checkDiagram,
  diagramFile,
  diagramIssues,
  mermaidFences,
  parseMermaid,
  sanitizeDiagram,
  sanitizeDiagramFile,
  tokensOf,
} from './diagram.ts';

const tokens = (text: string, mode?: 'raw' | 'markdown') =>
  sanitizeDiagram(text, mode).reasons.map(({ token, line }) => `${token}@${line}`);

describe('L-753 L-754 L-973 flowcharts', () => {
  test.each([
    ['flowchart TD\n A[a|b] --> B', ['pipe-in-node-label@2']],
    ['graph LR\n A --> B{x | y}\n C[z|z]', ['pipe-in-node-label@2']],
    ['flowchart TD\n A(("a|b"))', []],
    ['flowchart TD\n A["a|b"] -->|yes| B', []],
    ['flowchart TD\n A["a\\"|b"]', []],
    ['flowchart TD\n A -->|calls (twice)| B[ok]', []],
    ['flowchart TD\n A["x"] -->|y| B[c|d]', ['pipe-in-node-label@2']],
    ['flowchart TD; A[a|b]', ['pipe-in-node-label@1']],
    ['%% note [a|b]\n\nflowchart TD\n %% [a|b]\n A', []],
    ['flowchart', []],
    ['flowcharts\n A[a|b]', []],
    ['classDiagram\n class A["a|b|c"]', []],
  ])('%j', (text, expected) => {
    expect(tokens(text, 'raw')).toEqual(expected);
  });
});

describe('L-755 L-760 sequence diagrams', () => {
  test.each([
    ['sequenceDiagram\n participant A as One<br/>Two', ['br-in-participant-alias@2']],
    [
      'sequenceDiagram\n   ACTOR   A   as   One<BR />Two $5',
      ['br-in-participant-alias@2', 'dollar-in-participant-alias@2'],
    ],
    [
      'sequenceDiagram\n participant A as $x\n actor B as $y',
      ['dollar-in-participant-alias@2', 'dollar-in-participant-alias@3'],
    ],
    ['sequenceDiagram autonumber\n participant A as $x', ['dollar-in-participant-alias@2']],
    ['sequenceDiagram\n A->>B: costs $5<br/>now', []],
  ])('%j', (text, expected) => {
    expect(tokens(text, 'raw')).toEqual(expected);
  });
});

test('L-752 F-27 front matter is skipped, and rejected when it never ends', () => {
  expect(tokens('---\ntitle: a|b\n---\nflowchart TD\n A[a|b]', 'raw')).toEqual(['pipe-in-node-label@5']);
  expect(tokens('---\ntitle: x\nflowchart TD\n A[a|b]', 'raw')).toEqual(['unclosed-frontmatter@1']);
});

test('L-751 F-27 indented, tilde and longer fences are seen, fences inside another are content', () => {
  const text = `## Code Flow Diagram
   \`\`\`\` mermaid
flowchart TD
 A[a|b]
\`\`\`
\`\`\`\`
\`\`\`text
\`\`\`mermaid
\`\`\`
one
two
three
four
## Architecture Diagram

~~~Mermaid
graph TD
 B[c|d]
~~~`;
  expect(sanitizeDiagram(text, 'markdown')).toMatchObject({
    status: 'rejected',
    fenceCount: 2,
    headings: ['code-flow', 'architecture'],
    reasons: [
      { token: 'pipe-in-node-label', fence: 1, line: 2 },
      { token: 'pipe-in-node-label', fence: 2, line: 2 },
    ],
  });
});

test('L-751 four spaces make no fence and an unclosed one runs to the end', () => {
  expect(mermaidFences('    ```mermaid\nx')).toEqual([]);
  expect(mermaidFences('```mermaid\nflowchart TD\n A')).toMatchObject([
    { lines: ['flowchart TD', ' A'], closed: false },
  ]);
});

test('L-750: detects markdown when text starts with a mermaid fence', () => {
  expect(sanitizeDiagram('\n```mermaid\nflowchart TD\n A[a|b]\n```\n').fenceCount).toBe(1);
});

test('L-756 L-757 F-28 a rejection names token, fence and line apart; an internal error lets nothing pass', () => {
  expect(sanitizeDiagram('```mermaid\nflowchart TD\n A[a|b]\n```', 'markdown')).toEqual({
    status: 'rejected',
    reasons: [{ token: 'pipe-in-node-label', fence: 1, line: 2 }],
    fenceCount: 1,
    headings: ['unknown'],
  });
  expect(sanitizeDiagram('flowchart TD\n A', 'raw')).toEqual({
    status: 'ok',
    reasons: [],
    fenceCount: 1,
    headings: [],
  });
  const broken = sanitizeDiagram(undefined as unknown as string, 'raw');
  expect(broken).toMatchObject({ status: 'internal-error', error: expect.stringContaining('undefined') });
  expect(tokensOf(broken)).toEqual(['internal-error']);
});

test('L-759 each token is named once, sorted', () => {
  const result = sanitizeDiagram('sequenceDiagram\n actor A as $<br>\n actor B as $', 'raw');
  expect(tokensOf(result)).toEqual(['br-in-participant-alias', 'dollar-in-participant-alias']);
});

test('L-760 a diagram file has exactly one closed fence', () => {
  const one = '```mermaid\nflowchart TD\n A\n```\n';
  expect(sanitizeDiagramFile(`## Architecture Diagram\n${one}`).status).toBe('ok');
  expect(tokensOf(sanitizeDiagramFile('## Architecture Diagram\n'))).toEqual(['not-one-fence']);
  expect(tokensOf(sanitizeDiagramFile(one + one))).toEqual(['not-one-fence']);
  expect(tokensOf(sanitizeDiagramFile('```mermaid\nflowchart TD\n'))).toEqual(['unclosed-fence']);
});

test('L-742 whatever the diagram holds, the candidate is one closed fence', () => {
  const piece = fc.constantFrom('flowchart TD', ' A --> B', '```', '````', '~~~', '```mermaid', 'x `y`', '');
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
      const fences = mermaidFences(diagramFile(pieces.join('\n')));
      expect(fences).toHaveLength(1);
      expect(fences[0]?.closed).toBe(true);
      expect(fences[0]?.heading).toBe('architecture');
    }),
  );
});

test('L-036 L-742 L-743 L-744 L-758 panel/C-14 panel/C-15 outcomes, warnings and log entries', async () => {
  const good = await checkDiagram('```mermaid\nflowchart TD\n A-->B\n```', null);
  expect(good).toEqual({
    status: 'ok',
    file: '## Architecture Diagram\n\n```mermaid\nflowchart TD\n A-->B\n```\n',
    parsed: false,
  });
  expect(diagramWarning(good, '2s')).toBeUndefined();
  const bad = await checkDiagram('sequenceDiagram\n actor A as $<br>', null);
  // L-031: also where the name is not the short one.
  expect(diagramWarning(bad, '2s', { number: '1.', path: 'design plan' })).toMatch(
    /^\*\*⚠ 1\.3b: design plan \| architecture diagram — rejected/,
  );
  expect(diagramWarning(bad, '2s')).toBe(
    '**⚠ 3b: architecture diagram — rejected by mermaid sanitizer (REASON_TOKEN=br-in-participant-alias,dollar-in-participant-alias); proceeding without diagram.**',
  );
  expect(diagramIssues(bad)).toEqual([
    '- **Step 3b — mermaid sanitizer rejected:** br-in-participant-alias dollar-in-participant-alias',
    '- **Step 3b — architecture diagram rejected:** br-in-participant-alias,dollar-in-participant-alias',
  ]);
  const none = await checkDiagram(null, 'too abstract');
  expect(diagramWarning(none, '2s')).toBe(
    '**⚠ 3b: arch diagram — generation failed, proceeding without diagram (2s)**',
  );
  expect(diagramIssues(none)).toEqual([]);
});

test('L-760 the real parser is the second layer', async () => {
  expect(await checkDiagram('flowchart TD\n A[one] --> B{two}', null, parseMermaid)).toMatchObject({
    status: 'ok',
    parsed: true,
  });
  const broken = await checkDiagram('flowchart TD\n A[one --> B{two}', null, parseMermaid);
  expect(broken).toMatchObject({ status: 'rejected', tokens: ['mermaid-parse-error'] });
});

test('L-760 a parser that cannot run is not taken for a pass', async () => {
  const outcome = await checkDiagram('flowchart TD\n A', null, () =>
    Promise.resolve({ kind: 'unavailable', message: 'x' }),
  );
  expect(outcome).toMatchObject({ status: 'ok', parsed: false });
});

test.each([
  ['%%{init: {"securityLevel": "loose"}}%%\nflowchart LR\n  a --> b', 'directive'],
  ['flowchart LR\n  %%{init: {"theme": "dark"}}%%\n  a --> b', 'directive'],
  ['flowchart LR\n  a --> b\n  click a "javascript:alert(1)"', 'link-or-script'],
  ['flowchart LR\n  a --> b; click a href "https://example.com"', 'link-or-script'],
  ['graph TD\n  a --> b\n  click a call steal()', 'link-or-script'],
  ['classDiagram\n  class A\n  link A "https://example.com"', 'link-or-script'],
  ['sequenceDiagram\n  a->>b: hi\n  link a: Board @ https://example.com', 'link-or-script'],
  ['flowchart LR\n  a["<a href=\'javascript:x\'>x</a>"] --> b', 'link-or-script'],
  ['flowchart LR\n  a["<img src=x onerror=\'x\'>"] --> b', 'link-or-script'],
  ['flowchart LR\n  a["<iframe src=//example.com>"] --> b', 'html-in-label'],
  ['flowchart LR\n  a["<script>x</script>"] --> b', 'html-in-label'],
])('L-759 what would act where a diagram is shown is rejected: %j', (source, token) => {
  expect(tokensOf(sanitizeDiagram(source, 'raw'))).toEqual([token]);
});

test.each([
  'flowchart LR\n  click --> link\n  click[Click here] --> b["x < y > z"]\n  c["one<br/>two <b>three</b>"]',
  '%% a comment about click a "b"\nflowchart LR\n  a -- data: 5 --> b',
  'classDiagram\n  class A {\n    <<interface>>\n    List~int~ of\n  }\n  A <|-- B',
  'mindmap\n  root\n    click through\n    link building',
  'sequenceDiagram\n  link->>b: details of links',
  'stateDiagram-v2\n  state here <<choice>>\n  [*] --> here',
  'flowchart LR\n  a["Map<String, int> in <Button>"] --> b["Promise<void>"]',
])('L-759 words that look like it are not: %j', (source) => {
  expect(sanitizeDiagram(source, 'raw')).toMatchObject({ status: 'ok' });
});
