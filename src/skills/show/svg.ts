import stringWidth from 'string-width';
import { fold } from '../generate/diagram.ts';
import type { GraphNode, SkillGraph } from './graph.ts';

const box = { width: 220, gap: 56, left: 40, line: 18, padding: 12 } as const;

type Placed = { node: GraphNode; lines: string[]; y: number; height: number };

/** The package as a picture: phases from top to bottom, data edges on the right, handoffs on the left. */
export function renderSvg({ name, profile, nodes, edges }: SkillGraph): string {
  let y = 70;
  const placed = nodes.map((node): Placed => {
    const lines = [
      ...fold(`${node.number ?? '?'} ${node.name}${node.guarded ? ' 🔄' : ''}`, 28),
      ...(node.condition === undefined ? [] : fold(`if ${node.condition}`, 30)),
      `${node.steps} steps`,
    ];
    const height = lines.length * box.line + 2 * box.padding;
    const here = { node, lines, y, height };
    y += height + box.gap;
    return here;
  });
  const at = new Map(placed.map((item) => [item.node.id, item]));
  const right = box.left + box.width + 70;
  const longest = Math.max(0, ...edges.map(({ label }) => stringWidth(label)));
  const width = right + 90 + Math.min(longest, 60) * 7 + 60;
  const parts = placed.map(drawBox);
  let lane = 0;
  for (const { from, to, label, kind } of edges) {
    const [source, target] = [at.get(from), at.get(to)];
    if (target === undefined) continue;
    if (kind === 'flow' && source !== undefined)
      parts.push(line(right - 70 - box.width / 2, source.y + source.height, target.y, ''));
    if (kind === 'data') {
      const bend = right - 40 + (lane % 4) * 14;
      const start = source === undefined ? 40 : source.y + source.height / 2;
      const end = target.y + target.height / 2 + 6;
      parts.push(
        `<path class="data" d="M ${box.left + box.width} ${start} H ${bend} V ${end} H ${box.left + box.width + 4}"/>`,
        `<text class="label" x="${bend + 6}" y="${(start + end) / 2}">${escapeXml(label)}</text>`,
      );
      lane += 1;
    }
    if (kind === 'handoff' && source !== undefined) {
      parts.push(
        `<path class="handoff" d="M ${box.left} ${source.y + source.height / 2} H ${box.left - 18} V ${target.y + target.height / 2} H ${box.left - 4}"/>`,
      );
    }
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${Math.max(y, 120)}" width="${width}" height="${Math.max(y, 120)}" role="img" aria-label="${escapeXml(name)}">`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 Z" fill="#555"/></marker></defs>',
    '<style>text{font:13px system-ui,sans-serif;fill:#222}.title{font-size:17px;font-weight:600}.label{font-size:11px;fill:#35618a}.box{fill:#f4f1ea;stroke:#8a7f6a}.cond{fill:#e9f0f6;stroke-dasharray:5 3}path{fill:none;stroke:#555;marker-end:url(#tip)}.data{stroke:#35618a}.handoff{stroke:#a2542f;stroke-width:2}@media(prefers-color-scheme:dark){svg{background:#1d1d1b}text{fill:#eee}.box{fill:#33302a}.cond{fill:#26323c}path{stroke:#aaa}.label{fill:#9fc3e4}}</style>',
    `<text class="title" x="${box.left}" y="34">${escapeXml(name)} (${escapeXml(profile)})</text>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

function drawBox({ node, lines, y, height }: Placed): string {
  const rows = lines.map(
    (text, index) =>
      `<text x="${box.left + box.padding}" y="${y + box.padding + 13 + index * box.line}">${escapeXml(text)}</text>`,
  );
  const style = node.condition === undefined ? 'box' : 'box cond';
  return `<g><rect class="${style}" x="${box.left}" y="${y}" width="${box.width}" height="${height}" rx="8"/>${rows.join('')}</g>`;
}

function line(x: number, from: number, to: number, label: string): string {
  return `<path d="M ${x} ${from} V ${to - 4}"/>${label === '' ? '' : `<text x="${x + 6}" y="${(from + to) / 2}">${escapeXml(label)}</text>`}`;
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
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escapeXml(graph.name)}</title></head>\n<body>\n${renderSvg(graph)}</body></html>\n`;
}
