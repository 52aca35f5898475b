import { expect, test } from 'vitest';
import { cleanTexts, packageOf } from '../../test/support/skill-packages.ts';
import { renderMermaid, renderTree, skillGraph } from './show.ts';

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

test('labels cannot break out of Mermaid', () => {
  const [first] = graph.nodes;
  if (first === undefined) throw new Error('no node');
  const hostile = { ...graph, nodes: [{ ...first, name: '"]; click x <script>' }, ...graph.nodes.slice(1)] };
  expect(renderMermaid(hostile)).not.toMatch(/"\];|<script>/);
});
