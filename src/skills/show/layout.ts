import stringWidth from 'string-width';
import { fold } from '../generate/diagram.ts';
import type { GraphEdge, GraphNode, SkillGraph } from './graph.ts';

/** Measures of the picture, in pixels. */
export const measures = {
  left: 96,
  top: 64,
  width: 270,
  gap: 46,
  line: 18,
  padding: 12,
  input: 34,
  lane: 22,
  character: 6.6,
} as const;

export type BoxLine = { text: string; kind: 'name' | 'condition' | 'note' };

export type PlacedBox = { node: GraphNode; lines: readonly BoxLine[]; y: number; height: number };

/** A connection beside the boxes: it leaves at `from`, runs along `x` and arrives at `to`. */
export type PlacedEdge = {
  kind: 'data' | 'handoff' | 'skip';
  from: number;
  to: number;
  x: number;
  label: string;
};

export type Layout = {
  input: { y: number; height: number } | undefined;
  boxes: readonly PlacedBox[];
  edges: readonly PlacedEdge[];
  /** Straight arrows from one box down to the next. */
  steps: readonly { from: number; to: number }[];
  width: number;
  height: number;
};

/** Where everything stands: phases from top to bottom, data on the right, handoffs and skips on the left. */
export function layOut({ nodes, edges }: SkillGraph): Layout {
  const hasInput = edges.some(({ from }) => from === 'input');
  let y: number = measures.top + (hasInput ? measures.input + measures.gap : 0);
  const boxes = nodes.map((node): PlacedBox => {
    const lines = linesOf(node);
    const height = lines.length * measures.line + 2 * measures.padding;
    const box = { node, lines, y, height };
    y += height + measures.gap;
    return box;
  });
  const input = hasInput ? { y: measures.top, height: measures.input } : undefined;
  const right = measures.left + measures.width;
  const data = besides(edges, boxes, input, 'data', (lane) => right + measures.lane * (lane + 1));
  const handoffs = besides(
    edges,
    boxes,
    input,
    'handoff',
    (lane) => measures.left - measures.lane * (lane + 1),
  );
  const skips = skipEdges(boxes, edges);
  const labelled = data.map(({ x, label }) => x + 12 + stringWidth(label) * measures.character);
  return {
    input,
    boxes,
    edges: [...data, ...handoffs, ...skips],
    steps: edges
      .filter(({ kind }) => kind === 'flow')
      .flatMap(({ from, to }) => {
        const [source, target] = [boxOf(boxes, from), boxOf(boxes, to)];
        return source === undefined || target === undefined
          ? []
          : [{ from: source.y + source.height, to: target.y }];
      }),
    width: Math.ceil(Math.max(right + 40, 560, ...labelled) + 24),
    height: y - measures.gap + 64,
  };
}

function linesOf({ number, name, file, steps, condition, guarded }: GraphNode): BoxLine[] {
  const count = steps === 0 ? 'no steps' : steps === 1 ? '1 step' : `${steps} steps`;
  const lines = (kind: BoxLine['kind'], text: string, width: number) =>
    fold(text, width).map((line): BoxLine => ({ kind, text: line }));
  const whole = `${file} · ${count}`;
  return [
    ...lines('name', `${number ?? '?'}  ${name}`, guarded ? 23 : 29),
    ...(condition === undefined ? [] : lines('condition', `if ${condition}`, 36)),
    ...(whole.length > 38
      ? [...lines('note', file, 38), ...lines('note', count, 38)]
      : lines('note', whole, 38)),
  ];
}

const boxOf = (boxes: readonly PlacedBox[], id: string) => boxes.find(({ node }) => node.id === id);

/** Edges of one kind; those that overlap get lanes of their own, and ends at one box keep apart. */
function besides(
  edges: readonly GraphEdge[],
  boxes: readonly PlacedBox[],
  input: Layout['input'],
  kind: 'data' | 'handoff',
  xOf: (lane: number) => number,
): PlacedEdge[] {
  const wanted = edges.filter((edge) => edge.kind === kind);
  const ends = new Map<string, number>();
  /** The next free height at the side of a box; leaving and arriving edges take turns. */
  const next = (id: string) => {
    const place = id === 'input' ? input : boxOf(boxes, id);
    if (place === undefined) return undefined;
    const all = wanted.filter(({ from, to }) => from === id || to === id).length;
    const index = ends.get(id) ?? 0;
    ends.set(id, index + 1);
    return place.y + (place.height * (index + 1)) / (all + 1);
  };
  const lanes: number[] = [];
  return [...wanted]
    .sort((one, other) => orderOf(boxes, one.to) - orderOf(boxes, other.to))
    .flatMap(({ from, to, label }): PlacedEdge[] => {
      const [start, end] = [next(from), next(to)];
      if (start === undefined || end === undefined) return [];
      const [low, high] = [Math.min(start, end), Math.max(start, end)];
      let lane = lanes.findIndex((free) => free <= low);
      if (lane < 0) lane = lanes.length;
      lanes[lane] = high;
      return [{ kind, from: start, to: end, x: xOf(lane), label }];
    });
}

const orderOf = (boxes: readonly PlacedBox[], id: string) => boxes.findIndex(({ node }) => node.id === id);

/** A phase with a condition can be passed by: from the one before to the one after, on the left. */
function skipEdges(boxes: readonly PlacedBox[], edges: readonly GraphEdge[]): PlacedEdge[] {
  if (!edges.some(({ kind }) => kind === 'flow')) return [];
  return boxes.flatMap(({ node }, index): PlacedEdge[] => {
    const [before, after] = [boxes[index - 1], boxes[index + 1]];
    if (node.condition === undefined || before === undefined || after === undefined) return [];
    const [from, to] = [before.y + before.height * 0.75, after.y + after.height * 0.25];
    return [{ kind: 'skip', from, to, x: measures.left - measures.lane, label: 'else' }];
  });
}
