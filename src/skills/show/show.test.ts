import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { cleanTexts, packageOf } from '../testing.ts';
import { skillGraph } from './graph.ts';
import { layOut } from './layout.ts';
import { renderMermaid } from './mermaid.ts';
import { renderSvg } from './svg.ts';
import { renderTree } from './tree.ts';

const graph = skillGraph(packageOf(cleanTexts()));

test('the graph has phases, conditions, outputs and data edges', () => {
  expect(
    graph.nodes.map(({ number, name, guarded, condition }) => [number, name, guarded, condition]),
  ).toEqual([
    [1, 'Session Init', false, undefined],
    [2, 'Context Gather', false, undefined],
    [3, 'Conflict Resolution', true, 'conflictRisk >= medium'],
    [4, 'Task Generation', true, undefined],
  ]);
  expect(
    graph.edges.filter(({ kind }) => kind === 'data').map(({ from, to, label }) => `${from} ${to} ${label}`),
  ).toEqual([
    'input p1 task',
    'p1 p2 sessionId',
    'p2 p3 conflictRisk',
    'p2 p4 contextPath',
    'p3 p4 resolutionPath',
  ]);
});

test('the tree names what goes in and out', () => {
  expect(renderTree(graph)).toContain('├─ 3 Conflict Resolution  [🔄, if conflictRisk >= medium]');
  expect(renderTree(graph)).toContain('in  contextPath (from 2)');
});

test('labels cannot break out of Mermaid or SVG', () => {
  const [first] = graph.nodes;
  if (first === undefined) throw new Error('no node');
  const hostile = { ...graph, nodes: [{ ...first, name: '"]; click x <script>' }, ...graph.nodes.slice(1)] };
  expect(renderMermaid(hostile)).not.toMatch(/"\];|<script>/);
  expect(renderSvg(hostile)).not.toContain('<script>');
});

test('the picture draws every phase, edge, skip and sentinel once, inside its frame and apart from each other', () => {
  const svg = renderSvg(graph);
  expect(svg.match(/class="box/g)).toHaveLength(4);
  expect(svg.match(/class="badge"/g)).toHaveLength(2);
  expect(svg.match(/class="line data"[^>]*d="M \d+ [\d.]+ H \d+ Q/g)).toHaveLength(5);
  expect(svg).toContain('>else</text>');
  const layout = layOut(graph);
  const tops = layout.boxes.map(({ y }) => y);
  expect([...tops].sort((a, b) => a - b)).toEqual(tops);
  layout.boxes.slice(1).forEach(({ y }, index) => {
    const above = layout.boxes[index];
    expect(y).toBeGreaterThan((above?.y ?? 0) + (above?.height ?? 0));
  });
  for (const { from, to, x } of layout.edges) {
    expect(Math.max(from, to)).toBeLessThan(layout.height);
    expect(x).toBeGreaterThan(0);
    expect(x).toBeLessThan(layout.width);
  }
});

test('long names and paths are folded, and two edges in one lane never overlap', () => {
  const nodes = Array.from({ length: 12 }, (_, index) => ({
    id: `p${index + 1}`,
    number: index + 1,
    name: `A very long name of phase ${index} that does not fit into a box, 判断の段階`,
    file: `${'very-'.repeat(12)}long.md`,
    steps: 1,
    guarded: index % 2 === 0,
    condition: undefined,
    outputs: [],
  }));
  const edges = nodes.flatMap(({ id }, index) =>
    nodes.slice(index + 1, index + 4).map((next) => ({
      from: id,
      to: next.id,
      label: 'x',
      kind: 'data' as const,
    })),
  );
  const layout = layOut({ name: 'n', profile: 'pipeline', nodes, edges });
  expect(
    Math.max(...layout.boxes.flatMap(({ lines }) => lines.map(({ text }) => stringWidth(text)))),
  ).toBeLessThan(40);
  for (const one of layout.edges)
    for (const other of layout.edges) {
      if (one === other || one.x !== other.x) continue;
      expect(
        Math.max(one.from, one.to) <= Math.min(other.from, other.to) ||
          Math.max(other.from, other.to) <= Math.min(one.from, one.to),
      ).toBe(true);
    }
});
