import type { SkillGraph } from './graph.ts';
import { type Layout, layOut, measures, type PlacedBox, type PlacedEdge } from './layout.ts';

const style = [
  'svg{background:#fffdf9}',
  'text{font:13px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#26231d}',
  '.title{font-size:18px;font-weight:600}',
  '.name{font-weight:600}',
  '.note{font-size:11.5px;fill:#6b6557}',
  '.condition{font-size:12px;fill:#1f5a86}',
  '.label{font-size:11.5px;fill:#1f5a86;paint-order:stroke;stroke:#fffdf9;stroke-width:4px}',
  '.box{fill:#f5f1e7;stroke:#9a8f78}',
  '.box.conditional{fill:#eaf2f8;stroke:#6f97b4;stroke-dasharray:6 4}',
  '.input{fill:#fff;stroke:#9a8f78}',
  '.badge{fill:#fbe3d3;stroke:#c77b4d}',
  '.badge-text{font-size:10.5px;fill:#8a4316}',
  '.line{fill:none;stroke:#6b6557;stroke-width:1.5}',
  '.line.data{stroke:#2d74a8}',
  '.line.handoff{stroke:#b35a26;stroke-width:2}',
  '.line.skip{stroke:#6f97b4;stroke-dasharray:5 4}',
  '.tip{fill:#6b6557}.tip.data{fill:#2d74a8}.tip.handoff{fill:#b35a26}.tip.skip{fill:#6f97b4}',
  '@media(prefers-color-scheme:dark){svg{background:#1b1a17}text{fill:#ece7da}.note{fill:#aaa392}.condition{fill:#9cc7e8}',
  '.label{fill:#9cc7e8;stroke:#1b1a17}.box{fill:#2b2822;stroke:#7d735f}.box.conditional{fill:#22303a}.input{fill:#24221d}',
  '.badge{fill:#4a2f1f}.badge-text{fill:#f0b48c}.line{stroke:#aaa392}.tip{fill:#aaa392}.line.data{stroke:#6cb0df}',
  '.tip.data{fill:#6cb0df}.line.handoff{stroke:#e08a55}.tip.handoff{fill:#e08a55}}',
].join('');

const kinds = ['flow', 'data', 'handoff', 'skip'] as const;
const right = measures.left + measures.width;

/** The package as a picture: phases from top to bottom, data edges on the right, handoffs and skips on the left. */
export function renderSvg(graph: SkillGraph): string {
  const layout = layOut(graph);
  const { width, height } = layout;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escapeXml(graph.name)}</title>`,
    `<desc id="description">${escapeXml(describe(graph))}</desc>`,
    `<defs>${kinds.map(tip).join('')}</defs>`,
    `<style>${style}</style>`,
    `<text class="title" x="${measures.left}" y="38">${escapeXml(graph.name)}<tspan class="note" dx="10">${escapeXml(graph.profile)}</tspan></text>`,
    ...drawInput(layout),
    ...layout.steps.map(({ from, to }) => drawStep(from, to)),
    ...layout.edges.map(drawEdge),
    ...layout.boxes.map(drawBox),
    ...layout.edges.map(drawLabel),
    drawLegend(layout),
    '</svg>',
    '',
  ].join('\n');
}

/** The picture in words, for those who do not see it. */
function describe({ nodes, edges }: SkillGraph): string {
  const phases = nodes.map(
    ({ number, name, condition }) =>
      `phase ${number ?? '?'} ${name}${condition === undefined ? '' : ` if ${condition}`}`,
  );
  const flows = edges
    .filter(({ kind }) => kind === 'data')
    .map(({ from, to, label }) => `${label} from ${from === 'input' ? 'the user' : from} to ${to}`);
  return [...phases, ...flows].join('; ');
}

const tip = (kind: string) =>
  `<marker id="${kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path class="tip ${kind}" d="M0 0 L8 4 L0 8 Z"/></marker>`;

function drawInput({ input, boxes }: Layout): string[] {
  const [first] = boxes;
  if (input === undefined || first === undefined) return [];
  const middle = measures.left + measures.width / 2;
  return [
    `<rect class="input" x="${measures.left}" y="${input.y}" width="${measures.width}" height="${input.height}" rx="${input.height / 2}"/>`,
    `<text x="${middle}" y="${input.y + 22}" text-anchor="middle">the user's request</text>`,
    drawStep(input.y + input.height, first.y),
  ];
}

function drawStep(from: number, to: number): string {
  const x = measures.left + measures.width / 2;
  return `<path class="line" marker-end="url(#flow)" d="M ${x} ${from} V ${to - 1}"/>`;
}

function drawEdge({ kind, from, to, x }: PlacedEdge): string {
  const side = x > right ? right : measures.left;
  const [inward, radius] = [x > right ? -1 : 1, 7];
  const down = to >= from ? 1 : -1;
  const d = [
    `M ${side} ${from}`,
    `H ${x + inward * radius}`,
    `Q ${x} ${from} ${x} ${from + down * radius}`,
    `V ${to - down * radius}`,
    `Q ${x} ${to} ${x + inward * radius} ${to}`,
    `H ${side - inward}`,
  ].join(' ');
  return `<path class="line ${kind}" marker-end="url(#${kind})" d="${d}"/>`;
}

function drawLabel({ kind, from, to, x, label }: PlacedEdge): string {
  if (label === '') return '';
  const y = (from + to) / 2 + 4;
  if (kind === 'data') return `<text class="label" x="${x + 8}" y="${y}">${escapeXml(label)}</text>`;
  return `<text class="label" x="${x - 7}" y="${y}" text-anchor="end">${escapeXml(label)}</text>`;
}

function drawBox({ node, lines, y, height }: PlacedBox): string {
  const rows = lines.map(
    ({ kind, text }, index) =>
      `<text class="${kind}" x="${measures.left + measures.padding}" y="${y + measures.padding + 13 + index * measures.line}">${escapeXml(text)}</text>`,
  );
  const badge = node.guarded
    ? `<rect class="badge" x="${right - 66}" y="${y + 8}" width="58" height="17" rx="8.5"/><text class="badge-text" x="${right - 37}" y="${y + 20}" text-anchor="middle">sentinel</text>`
    : '';
  const conditional = node.condition === undefined ? '' : ' conditional';
  return `<g><rect class="box${conditional}" x="${measures.left}" y="${y}" width="${measures.width}" height="${height}" rx="9"/>${rows.join('')}${badge}</g>`;
}

/** Only what occurs in the picture is explained. */
function drawLegend({ edges, steps, height }: Layout): string {
  const words = { flow: 'next', data: 'data', handoff: 'hands over', skip: 'passed by' } as const;
  const used = kinds.filter((kind) =>
    kind === 'flow' ? steps.length > 0 : edges.some((edge) => edge.kind === kind),
  );
  const y = height - 22;
  return used
    .map((kind, index) => {
      const x = measures.left + index * 104;
      return `<path class="line ${kind}" marker-end="url(#${kind})" d="M ${x} ${y - 4} H ${x + 26}"/><text class="note" x="${x + 33}" y="${y}">${words[kind]}</text>`;
    })
    .join('');
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** The picture as a page that opens in a browser. */
export function renderHtml(graph: SkillGraph): string {
  const page = 'body{margin:0;background:#fffdf9}svg{display:block;margin:0 auto;max-width:100%;height:auto}';
  const dark = '@media(prefers-color-scheme:dark){body{background:#1b1a17}}';
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeXml(graph.name)}</title><style>${page}${dark}</style></head>\n<body>\n${renderSvg(graph)}</body></html>\n`;
}
