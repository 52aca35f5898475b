import type { WorkflowConfig } from './config/workflow-config.ts';
import type { PackageResult } from './lint/engine.ts';
import { countInherited, countOf, type Finding } from './lint/rule.ts';
import type { SkillPackage } from './model/package.ts';
import type { WriteOutcome } from './package-files.ts';
import { conditionalPhases, producers } from './rules/data-flow.ts';

export type GraphNode = {
  id: string;
  number: number | undefined;
  name: string;
  file: string;
  steps: number;
  guarded: boolean;
  condition: string | undefined;
  outputs: readonly string[];
};

export type GraphEdge = { from: string; to: string; label: string; kind: 'flow' | 'data' | 'handoff' };

export type SkillGraph = {
  name: string;
  profile: string;
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
};

/** Phases in order, data edges and direct handoffs of a package. */
export function skillGraph(subject: SkillPackage): SkillGraph {
  const { skill, phases, name, files, profile, references } = subject;
  const rows = skill?.phaseTable?.rows ?? [];
  const conditions = skill?.flow.conditions ?? [];
  const made = producers(subject);
  const conditional = conditionalPhases(subject);
  const nodes = phases.map(
    (phase, index): GraphNode => ({
      id: `p${index + 1}`,
      number: phase.number,
      name: phase.name || phase.slug,
      file: phase.file,
      steps: phase.steps.length,
      guarded: rows.some(({ target, guarded }) => guarded && target === phase.document.path),
      condition:
        phase.number !== undefined && conditional.has(phase.number)
          ? conditions.find((item) => item.phase === phase.number)?.expression
          : undefined,
      outputs: [
        ...new Set(
          made
            .filter((item) => item.phase === phase.number && item.kind === 'variable')
            .map((item) => item.name),
        ),
      ],
    }),
  );
  const idOf = (number: number) => nodes.find((node) => node.number === number)?.id;
  const edges: GraphEdge[] = [];
  if (profile !== 'router') {
    nodes.slice(1).forEach((node, index) => {
      edges.push({ from: nodes[index]?.id ?? '', to: node.id, label: '', kind: 'flow' });
    });
  }
  for (const { from, to, variables } of skill?.flow.edges ?? []) {
    const [source, target] = [from === 'input' ? 'input' : idOf(from), idOf(to)];
    if (source !== undefined && target !== undefined)
      edges.push({ from: source, to: target, label: variables.join(', '), kind: 'data' });
  }
  const seen = new Set<string>();
  for (const { kind, target, document } of references) {
    if (kind !== 'read' || document.path === target) continue;
    const [from, to] = [
      phases.findIndex((phase) => phase.document === document),
      phases.findIndex((phase) => phase.document.path === target),
    ];
    if (from < 0 || to < 0 || seen.has(`${from} ${to}`)) continue;
    seen.add(`${from} ${to}`);
    edges.push({ from: `p${from + 1}`, to: `p${to + 1}`, label: 'handoff', kind: 'handoff' });
  }
  return { name: name || files.directory, profile, nodes, edges };
}

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

/** S-100: which of the nine patterns a package uses. */
export function patternMarks(
  config: WorkflowConfig,
  findings: readonly Finding[],
): { pattern: string; used: boolean }[] {
  const { features, phases, dataFlow, preferenceQuestions } = config;
  return [
    { pattern: 'Orchestrator and progressive loading', used: true },
    { pattern: 'Attach and collapse', used: features.hasTodoWriteSubTasks },
    { pattern: 'Data flow between phases', used: dataFlow.some(({ from }) => from !== 'input') },
    {
      pattern: 'Conditional phases',
      used: features.hasConditionalPhases || phases.some(({ runsWhen }) => runsWhen !== undefined),
    },
    { pattern: 'Input structuring', used: true },
    { pattern: 'Preferences collected once', used: features.hasAutoMode || preferenceQuestions.length > 0 },
    { pattern: 'Direct handoff', used: phases.some(({ handsOverTo }) => handsOverTo !== undefined) },
    { pattern: 'Clean phase files', used: !findings.some(({ rule }) => rule.startsWith('HY')) },
    { pattern: 'Compact recovery', used: phases.some(({ guarded }) => guarded === true) },
  ];
}

/** What was made, what lint says, what to do next. */
export function renderOutcome(
  config: WorkflowConfig,
  outcome: WriteOutcome,
  lint: PackageResult,
  where: string,
): string {
  const count = (kind: string) => outcome.changes.filter((change) => change.kind === kind).length;
  const changed = ['created', 'changed', 'removed', 'unchanged']
    .filter((kind) => count(kind) > 0)
    .map((kind) => `${count(kind)} ${kind}`);
  const inherited = countInherited(lint.findings);
  return [
    `${config.skillName}: ${outcome.written ? '' : 'nothing written, '}${changed.join(', ')}`,
    `  Location   ${where}`,
    `  Files      ${config.phases.length + 1}`,
    `  Triggers   ${config.triggers.join(', ')}`,
    `  Lint       ${lint.gate} (${countOf(lint.findings, 'error')} errors, ${countOf(lint.findings, 'warning')} warnings${inherited > 0 ? `, ${inherited} inherited` : ''})`,
    '  Patterns',
    ...patternMarks(config, lint.findings).map(({ pattern, used }) => `    ${used ? '✓' : '○'} ${pattern}`),
    ...(outcome.backup === undefined ? [] : [`  Backup     ${outcome.backup}`]),
    '  Next       fill in the phase files, then `charrette skill sync` and `charrette skill lint`',
    '',
  ].join('\n');
}
