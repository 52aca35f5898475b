import type { SkillGraph } from './graph.ts';

/** The package as a tree for a terminal. */
export function renderTree({ name, profile, nodes, edges }: SkillGraph): string {
  const lines = [`${name} (${profile})`];
  nodes.forEach((node, index) => {
    const last = index === nodes.length - 1;
    const marks = [
      node.guarded ? '🔄' : '',
      node.condition === undefined ? '' : `if ${node.condition}`,
    ].filter((mark) => mark !== '');
    lines.push(
      `${last ? '└─' : '├─'} ${node.number ?? '?'} ${node.name}${marks.length > 0 ? `  [${marks.join(', ')}]` : ''}`,
    );
    const details = [
      `${node.file}, ${node.steps} steps`,
      ...edges
        .filter(({ to, kind }) => to === node.id && kind === 'data')
        .map(
          ({ from, label }) => `in  ${label}${from === 'input' ? ' (user)' : ` (from ${numberOf(from)})`}`,
        ),
      ...(node.outputs.length > 0 ? [`out ${node.outputs.join(', ')}`] : []),
      ...edges
        .filter(({ from, kind }) => from === node.id && kind === 'handoff')
        .map(({ to }) => `hands over to ${numberOf(to)}`),
    ];
    details.forEach((detail, at) => {
      lines.push(`${last ? '   ' : '│  '} ${at === details.length - 1 ? '└─' : '├─'} ${detail}`);
    });
  });
  return `${lines.join('\n')}\n`;

  function numberOf(id: string): string {
    return String(nodes.find((node) => node.id === id)?.number ?? id);
  }
}
