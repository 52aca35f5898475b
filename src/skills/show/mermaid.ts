import type { SkillGraph } from './graph.ts';

/** The package as a Mermaid flowchart; labels are quoted and stripped of what Mermaid would act on. */
export function renderMermaid({ nodes, edges }: SkillGraph): string {
  const lines = ['flowchart TD'];
  if (edges.some(({ from }) => from === 'input')) lines.push('  input(["User input"])');
  for (const { id, number, name, guarded, condition } of nodes) {
    const text = label(
      [
        `${number ?? '?'} ${name}`,
        ...(condition === undefined ? [] : [`if ${condition}`]),
        ...(guarded ? ['sentinel'] : []),
      ].join('<br/>'),
    );
    lines.push(condition === undefined ? `  ${id}["${text}"]` : `  ${id}{{"${text}"}}`);
  }
  for (const { from, to, label: text, kind } of edges) {
    const arrow = { flow: '-->', data: '-.->', handoff: '==>' }[kind];
    lines.push(`  ${from} ${arrow}${text === '' ? '' : `|"${label(text)}"|`} ${to}`);
  }
  return `${lines.join('\n')}\n`;
}

function label(text: string): string {
  return text
    .replaceAll('"', '#quot;')
    .replace(/[[\]{}|`]/g, ' ')
    .replace(/<(?!br\/>)/g, '&lt;');
}
