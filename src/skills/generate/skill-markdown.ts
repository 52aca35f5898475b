import { writeFrontMatter } from '../../base/text/frontmatter.ts';
import { countCodePoints, indexOfCodePoint } from '../../base/text/strings.ts';
import type { PhaseConfig, WorkflowConfig } from '../config/workflow-config.ts';
import { compactCell, compactRules, directiveText } from '../model/compact.ts';
import { maxDescription } from '../model/identity.ts';
import { phasePath, renderPhase, sentence, type Tools } from './phase-markdown.ts';
import { drawDiagram, executionFlow, preferenceSection, todoSection } from './skill-sections.ts';

/** Sections taken from a source instead of being generated (S-053). */
export type SectionOverrides = Partial<Record<SectionName, string>>;

export const sectionNames = [
  'Architecture Overview',
  'Key Design Principles',
  'Mode Detection & Routing',
  'Interactive Preference Collection',
  'Auto Mode Defaults',
  'Execution Flow',
  'Loop Control',
  'Core Rules',
  'Input Processing',
  'Data Flow',
  'TodoWrite Pattern',
  'Post-Phase Updates',
  'Error Handling',
  'Coordinator Checklist',
  'Related Commands',
] as const;

export type SectionName = (typeof sectionNames)[number];

/** S-050: SKILL.md in the order of the template, each section once; sections of features that are off are left out. */
export function renderSkill(
  config: WorkflowConfig,
  tools: Tools,
  overrides: SectionOverrides = {},
  additions: SectionOverrides = {},
): string {
  const makers: Record<SectionName, () => string | undefined> = {
    'Architecture Overview': () => architecture(config),
    'Key Design Principles': () => principles(config),
    'Mode Detection & Routing': () => (config.profile === 'router' ? routing(config) : undefined),
    'Interactive Preference Collection': () => preferenceSection(config),
    'Auto Mode Defaults': () => (config.features.hasAutoMode ? autoMode(config) : undefined),
    'Execution Flow': () => flow(config),
    'Loop Control': () => loopControl(config),
    'Core Rules': () => coreRules,
    'Input Processing': () => inputProcessing,
    'Data Flow': () => dataFlow(config),
    'TodoWrite Pattern': () => todoSection(config, tools),
    'Post-Phase Updates': () => postPhase(config),
    'Error Handling': () => errorHandling(config),
    'Coordinator Checklist': () => checklist,
    'Related Commands': () => related(config),
  };
  const sections = sectionNames.flatMap((name) => {
    const made = overrides[name] ?? makers[name]();
    const kept = additions[name];
    const body =
      made === undefined || kept === undefined
        ? (made ?? kept)
        : `${made.trim()}\n\n### Original ${name}\n\n${kept}`;
    return body === undefined ? [] : [`## ${name}\n\n${body.trim()}`];
  });
  const introduction = config.introduction === undefined ? [] : [config.introduction];
  const body = [`# ${config.title}`, sentence(config.description), ...introduction, ...sections].join('\n\n');
  const text = writeFrontMatter(
    {
      name: config.skillName,
      description: describe(config),
      'allowed-tools': toolList(config, tools).join(', '),
    },
    `\n${body}\n`,
  );
  const { frontmatter } = config;
  return frontmatter === undefined ? text : text.replace(/\n---\n/, () => `\n${frontmatter}\n---\n`);
}

/** S-041: the trigger clause once, no double full stop; of a text that is too long the sentences, then the triggers that fit. */
export function describe({
  description,
  triggers,
}: Pick<WorkflowConfig, 'description' | 'triggers'>): string {
  const clause = /\s*Triggers on\s+(?:["“][^"”]*["”](?:,\s*|\s+or\s+)?)+\.?/i;
  const own = clause.exec(description)?.[0] ?? '';
  const quoted = [...own.matchAll(/["“]([^"”]+)["”]/g)].map((match) => match[1] ?? '');
  const all = [...new Set([...quoted, ...triggers])].map((trigger) => `"${trigger.replaceAll('"', "'")}"`);
  const [first] = all;
  const text = sentence(description.replace(clause, ' ').trim());
  if (first === undefined) return wholeSentences(text, maxDescription);
  const withClause = (from: string, count: number) =>
    `${from} Triggers on ${all.slice(0, count).join(', ')}.`;
  const kept = wholeSentences(text, maxDescription - countCodePoints(withClause('', 1)));
  let count = 1;
  while (count < all.length && countCodePoints(withClause(kept, count + 1)) <= maxDescription) count += 1;
  return withClause(kept, count);
}

/** The sentences of a text that fit; when not even the first one does, its words. */
function wholeSentences(text: string, max: number): string {
  if (countCodePoints(text) <= max) return text;
  const start = text.slice(0, indexOfCodePoint(text, max - 1));
  const end = [...start.matchAll(/[.!?。！？](?=\s|$)/gu)].at(-1)?.index;
  return end === undefined
    ? `${start.slice(0, Math.max(0, start.lastIndexOf(' ')))}…`
    : start.slice(0, end + 1);
}

function toolList({ allowedTools }: WorkflowConfig, tools: Tools): string[] {
  const todo = tools.todo === 'TodoWrite' ? ['TodoWrite'] : ['TaskCreate', 'TaskUpdate', 'TaskList'];
  const renamed = allowedTools.flatMap((tool) => {
    if (tool === 'Task' || tool === 'Agent') return [tools.agent];
    return tool === 'TodoWrite' || tool === 'TaskCreate' ? todo : [tool];
  });
  return [...new Set(renamed)];
}

const shorten = (text: string, length: number) =>
  [...text].length <= length ? text : `${[...text].slice(0, length - 1).join('')}…`;

function architecture(config: WorkflowConfig): string {
  const boxes = config.phases.map((phase) => ({
    title: `Phase ${phase.number}`,
    lines: [shorten(phase.name, 40), ...(phase.isConditional ? ['(conditional)'] : [])],
    below: [
      ...phase.outputVariables,
      ...phase.outputFiles.map((file) => file.slice(file.lastIndexOf('/') + 1)),
    ].join(', '),
  }));
  return `\`\`\`text\n${drawDiagram(config.title, config.phases.map(({ name }) => shorten(name, 24)).join(' → '), boxes)}\n\`\`\``;
}

function principles({ features }: WorkflowConfig): string {
  const lines = [
    '**Coordinate only**: this file decides order, data and rules; the phase files hold the work.',
    '**Load on demand**: a phase file is read when its phase starts, not before.',
    '**Data, not memory**: what a later phase needs is a declared output of an earlier one.',
    ...(features.hasAutoMode
      ? ['**Ask once**: preferences are collected before the first phase and never again.']
      : []),
    '**Survive compaction**: the todo list names the active phase; what was lost is read again.',
  ];
  return lines.map((line, index) => `${index + 1}. ${line}`).join('\n');
}

function routing({ phases, triggers }: WorkflowConfig): string {
  const rows = phases.flatMap((phase) => {
    const own = phase.triggers ?? triggers.slice(phase.number - 1, phase.number);
    const mode = phase.mode ?? phase.slug;
    return (own.length > 0 ? own : [mode]).map(
      (trigger) =>
        `| \`${trigger}\` | ${mode} | [${phasePath(phase)}](${phasePath(phase)}) | ${cell(phase.description || phase.name)} |`,
    );
  });
  return [
    'The trigger that started the skill selects the mode; an unknown trigger takes the first row.',
    '',
    '| Trigger | Mode | Phase Document | Description |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function autoMode({ phases }: WorkflowConfig): string {
  const gate = phases.some(({ isConditional }) => isConditional) ? ' Conditions are evaluated as usual.' : '';
  return `When \`workflowPreferences.autoYes\` is true: no question is asked, every confirmation takes its recommended answer, and the summary lists the defaults that were taken.${gate}`;
}

function flow(config: WorkflowConfig): string {
  const guarded = config.phases.filter((phase) => phase.guarded === true);
  const rows = config.phases.map((phase) => {
    const path = phasePath(phase);
    return `| ${phase.number} | [${path}](${path}) | ${cell(phase.description || phase.name)} | ${compactCell(phase.guarded === true)} |`;
  });
  return [
    ...(guarded.length > 0 ? [directiveText] : []),
    executionFlow(config),
    ...sourceNumbers(config),
    '### Phase Reference Documents\n\nRead a document only when its phase runs.',
    ['| Phase | Document | Purpose | Compact |', '|---|---|---|---|', ...rows].join('\n'),
    compactRules(phasePath(guarded[0] ?? (config.phases[0] as PhaseConfig))),
  ].join('\n\n');
}

/** Text that a conversion kept speaks of phases by the numbers of its source. */
function sourceNumbers({ phases }: WorkflowConfig): string[] {
  const others = phases.filter(
    ({ number, sourceNumber }) => sourceNumber !== undefined && sourceNumber !== String(number),
  );
  const pairs = others.map(({ number, sourceNumber }) => `${sourceNumber} is now ${number}`);
  return pairs.length === 0 ? [] : [`Phase numbers in text kept from the source: ${pairs.join(', ')}.`];
}

function loopControl(config: WorkflowConfig): string | undefined {
  if (config.profile !== 'loop') return undefined;
  const { until, from, limit } = config.loop ?? {
    until: 'the last phase reports success',
    from: 1,
    limit: 5,
  };
  return [
    `- **Until**: ${until}`,
    `- **Back to**: Phase ${from}`,
    `- **At most**: ${limit} rounds; then stop and report what is still open`,
    '- **Each round**: the todo items of the phases from there on return to pending; finished rounds are kept in the notes',
  ].join('\n');
}

const coreRules = [
  '**Start immediately**: the first action is to set up the todo list, then the first phase.',
  '**No preliminary analysis**: reading the repository is the work of a phase.',
  '**Parse every output**: take the declared outputs of a phase before the next one starts.',
  '**Continue by yourself**: a finished phase leads to the next one without being asked.',
  '**Track progress**: every change of phase is a change of the todo list.',
  '**Load progressively**: one phase document at a time.',
  '**Do not stop early**: the workflow ends with its last phase or with a named error.',
]
  .map((line, index) => `${index + 1}. ${line}`)
  .join('\n');

const inputProcessing = [
  'Turn the request into this form before the first phase:',
  '',
  '```text',
  'GOAL: what shall be reached',
  'SCOPE: what belongs to it and what does not',
  'CONTEXT: constraints, files, decisions that are known',
  '```',
  '',
  '1. **A short text** becomes GOAL; SCOPE and CONTEXT are stated as assumed.',
  '2. **A detailed text** is sorted into the three fields; nothing is dropped.',
  '3. **A path to a file** is read, then treated as a detailed text.',
].join('\n');

function dataFlow({ dataFlow: edges }: WorkflowConfig): string {
  const node = (name: string) => (name === 'input' ? 'input' : `Phase ${name.slice(5)}`);
  return [
    '| From | To | Variables |',
    '|---|---|---|',
    ...edges.map(
      ({ from, to, variables }) =>
        `| ${node(from)} | ${node(to)} | ${variables.map((name) => `\`${name}\``).join(', ')} |`,
    ),
  ].join('\n');
}

function postPhase({ features }: WorkflowConfig): string | undefined {
  if (!features.hasPlanningNotes && !features.hasPostPhaseUpdates) return undefined;
  return [
    'After each phase append to `planning-notes.md` in the session folder:',
    '',
    '- decisions taken, with the reason',
    '- constraints found',
    '- questions that stay open',
    '',
    'Later phases read the notes before they start.',
  ].join('\n');
}

function errorHandling({ errorRecovery }: WorkflowConfig): string {
  const recovery = {
    retry: 'Repeat the phase once with the error as additional input; if it fails again, report and stop.',
    rollback: 'Undo what the phase wrote, mark it failed, report and stop.',
    report: 'Mark the phase failed, report and stop; nothing is repeated.',
  }[errorRecovery];
  return [
    `- **A phase fails**: ${recovery}`,
    '- **An output cannot be parsed**: one retry, then report the output as it came.',
    '- **A validation fails**: name the file or value that is absent.',
    '- **A command fails**: the phase stays active in the todo list and the run does not advance.',
  ].join('\n');
}

const checklist = [
  '- [ ] Before a phase: inputs present, todo item in_progress, phase document read',
  '- [ ] After a phase: outputs parsed and not empty, todo item completed',
  '- [ ] Before the end: every phase completed or skipped, summary written',
].join('\n');

function related({ skillName, triggers }: WorkflowConfig): string {
  return `- Start again: name one of the triggers (${triggers.join(', ') || skillName}).\n- Check this package: \`charrette skill lint ${skillName}\``;
}

export const defaultTools: Tools = { agent: 'Task', todo: 'TodoWrite' };

/** The files of a package by path, made from its config alone. A skeleton has a placeholder in every phase without own steps. */
export function generatePackage(
  config: WorkflowConfig,
  tools: Tools = defaultTools,
  overrides: SectionOverrides = {},
  skeleton = false,
): Map<string, string> {
  return new Map([
    ['SKILL.md', renderSkill(config, tools, overrides)],
    ...config.phases.map((phase): [string, string] => [
      phasePath(phase),
      renderPhase(config, phase, tools, skeleton),
    ]),
  ]);
}
