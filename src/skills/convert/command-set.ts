import { type Document, fenceAt, lineAt, zoneAt } from '../../base/markdown/document.ts';
import { parseDocument } from '../../base/markdown/parse.ts';
import { baseTools, type RoughConfig, type RoughPhase, titleOf } from '../config/complete-config.ts';
import type { SectionOverrides } from '../generate/skill-markdown.ts';
import { findCalls } from '../model/calls.ts';
import { type DataFlow, readDataFlow, sourceFlowSections } from '../model/data-flow.ts';
import { type Frontmatter, fieldText, readFrontmatter } from '../model/frontmatter.ts';
import { bareTool, readTools, readTriggers } from '../model/identity.ts';
import { calledSkill, isMessage } from '../rules/hygiene.ts';
import type { PhaseSource } from './extract-phase.ts';
import { type Coordinator, readCoordinator } from './sections.ts';
import { droppedFields, frontmatterRemoved, stripFrontmatter, titleRemoved } from './source-part.ts';
import {
  flowLinesOf,
  groupPhases,
  type PhaseGroup,
  type PhaseTitle,
  runConditionOf,
  sectionsOf,
  splitNote,
} from './source-phases.ts';

/** How commands are read: by their path below the commands directory, without `.md`. */
export type CommandReader = (path: string) => string | undefined;

/** S-023: what a call in the orchestrator is. Only phase calls become phase files. */
export type CallKind = 'phase' | 'terminal' | 'built-in' | 'external';

export type CommandCall = { name: string; kind: CallKind; line: number; phase: number | undefined };

export type CommandSet = {
  config: RoughConfig;
  /** Sources of each phase, in order. */
  sources: PhaseSource[][];
  coordinator: Coordinator;
  /** The command and its sub-commands as they were read. */
  texts: string[];
  calls: CommandCall[];
  /** Sub-commands that became phases, by name. */
  phaseOf: Map<string, number>;
  diagnostics: string[];
};

const usedFields = ['name', 'description', 'group', 'allowed-tools', 'argument-hint', 'examples'];
const builtIns = new Set(['compact', 'clear', 'help', 'memory']);
const phaseHeading =
  /^(?:[^\p{L}\p{N}]*)phase\s+(\d+(?:\.\d+)?[a-z]?(?:\s*[-–&]\s*\d+)?)\s*[:：—–-]\s*(.+)$/iu;

function readPhaseTitle(title: string): PhaseTitle | undefined {
  const [, number, name] = phaseHeading.exec(title) ?? [];
  return number === undefined || name === undefined ? undefined : { number, name };
}

/** Mode A: an orchestrator command and the sub-commands it calls become the phases of one skill. */
export function readCommandSet(commandPath: string, text: string, read: CommandReader): CommandSet {
  const document = parseDocument('command.md', text);
  const frontmatter = readFrontmatter(document);
  const diagnostics: string[] = [];
  if (frontmatter.problem !== undefined)
    diagnostics.push(
      `The frontmatter is not valid YAML (${frontmatter.problem.message}); it was read line by line.`,
    );
  if (frontmatter.state !== 'closed') diagnostics.push('The command has no frontmatter.');
  diagnostics.push(...droppedFields(frontmatter, usedFields));
  const found = document.headings.filter(({ title }) => phaseHeading.test(title));
  const groups = groupPhases(document, found, readPhaseTitle);
  const headings = groups.flatMap((group) => group.headings);
  const calls = readCalls(document, groups);
  const phaseOf = new Map<string, number>();
  const texts = new Map([[commandPath, text]]);
  const sources: PhaseSource[][] = [];
  const phases: RoughPhase[] = [];
  const flow = readDataFlow(document, sourceFlowSections);
  const flowLines = flowLinesOf(document);
  groups.forEach((group, index) => {
    const own = [
      ...new Set(
        calls.filter(({ phase, kind }) => phase === index + 1 && kind === 'phase').map(({ name }) => name),
      ),
    ];
    const called = own.flatMap((name): { source: PhaseSource; description: string }[] => {
      const path = name.replaceAll(':', '/');
      const body = read(path);
      if (body === undefined) {
        diagnostics.push(
          `The sub-command ${name} (${path}.md) does not exist; the phase keeps the orchestrator's own text.`,
        );
        return [];
      }
      phaseOf.set(name, index + 1);
      texts.set(path, body);
      const description = fieldText(readFrontmatter(parseDocument('sub.md', body)), 'description') ?? '';
      return [{ source: { path: `${path}.md`, body: stripFrontmatter(body), label: name }, description }];
    });
    const [only] = called.length === 1 ? called : [];
    if (only !== undefined) only.source.heading = 'Procedure';
    const { name, note } = splitNote(group.name);
    // S-064: what the orchestrator says around a call stays with the text that it calls.
    const sections = sectionsOf(document, group, `${commandPath}.md`, note, called.length > 0);
    sources.push([...sections, ...called.map(({ source }) => source)]);
    const outputs = flow.outputs.filter(({ phase }) => phase === Number(group.number));
    const namesOf = (kind: string) => [
      ...new Set(outputs.filter((output) => output.kind === kind).map((output) => output.name)),
    ];
    const known = new Set(phases.flatMap(({ outputVariables = [] }) => outputVariables));
    const body = sections.map((section) => section.body).join('\n');
    phases.push({
      name,
      description: called[0]?.description ?? '',
      sourcePath: `${called[0]?.source.path ?? `${commandPath}.md`}`,
      sourceNumber: group.number,
      agentTypes: agentTypesIn(called.map(({ source }) => source.body).join('\n')),
      outputVariables: namesOf('variable'),
      outputFiles: namesOf('file'),
      ...runConditionOf(flowLines.get(group.number) ?? [], note, body, known),
    });
  });
  if (phases.length === 0) {
    phases.push({
      name: titleOf(commandPath.split('/').at(-1) ?? 'Run'),
      description: fieldText(frontmatter, 'description') ?? '',
      sourcePath: `${commandPath}.md`,
    });
    sources.push([
      { path: `${commandPath}.md`, body: stripFrontmatter(text), label: 'orchestrator', coordinates: true },
    ]);
  }
  const name = skillNameOf(commandPath, fieldText(frontmatter, 'name'), fieldText(frontmatter, 'group'));
  const description = fieldText(frontmatter, 'description') ?? `Runs the ${titleOf(name)} workflow`;
  const hint = fieldText(frontmatter, 'argument-hint');
  const examples = examplesOf(frontmatter);
  const whole = { line: 0, endLine: document.lineStarts.length };
  const coordinator = readCoordinator(document, headings.length === 0 ? [whole] : headings);
  for (const { line } of headings) coordinator.edits.push(titleRemoved(document, line));
  for (const source of texts.values()) coordinator.edits.push(...frontmatterRemoved(source));
  return {
    config: {
      skillName: name,
      description,
      triggers: [...new Set([...readTriggers(description), commandPath.replaceAll('/', ':')])],
      allowedTools: convertTools(readTools(frontmatter), diagnostics),
      source: {
        type: 'command_set',
        orchestratorPath: `${commandPath}.md`,
        subCommandPaths: [...phaseOf.keys()].map((command) => `${command.replaceAll(':', '/')}.md`),
      },
      phases,
      dataFlow: edgesOf(flow, groups, phases),
    },
    sources,
    coordinator: { ...coordinator, overrides: withUsage(coordinator.overrides, hint, examples) },
    texts: [...texts.values()],
    calls,
    phaseOf,
    diagnostics,
  };
}

/** S-032: an input that the flow names comes from the nearest earlier phase that outputs it. */
function edgesOf(
  { inputs }: DataFlow,
  groups: readonly PhaseGroup[],
  phases: readonly RoughPhase[],
): { from: string; to: string; variables: string[] }[] {
  const edges = new Map<string, { from: string; to: string; variables: string[] }>();
  for (const { phase, name } of inputs) {
    const index = groups.findIndex(({ number }) => Number(number) === phase);
    const producer = phases
      .slice(0, Math.max(0, index))
      .findLastIndex(({ outputVariables = [] }) => outputVariables.includes(name));
    if (producer < 0) continue;
    const [from, to] = [`phase${producer + 1}`, `phase${index + 1}`];
    const edge = edges.get(`${from} ${to}`) ?? { from, to, variables: [] };
    if (!edge.variables.includes(name)) edge.variables.push(name);
    edges.set(`${from} ${to}`, edge);
  }
  return [...edges.values()];
}

const slashCommand = /(?<![\w./-])\/([a-z][\w-]*(?::[\w-]+)+)(?![\w:/])/g;
/** What may precede a command that a flow or a script runs: a branch, an arrow, "Execute", the value of a variable. */
const runs = /^[\s│├└─┬┼╰╭↓▼|]*(?:[├└╰│]─|→)\s*$|\bexecute:?\s*$|\bcommand\w*\s*=\s*\[?f?["'`]$/i;
/** Text that is printed for the user is not a call. */
const printed =
  /\b(?:next|suggest\w*|recommend\w*|follow-?up|consider|usage)\b|console\.\w+\(|\b(?:echo|print|printf)\b/i;

/** S-022, S-023: calls by `Skill(…)`, `SlashCommand(…)` and bare `/a:b:c` in a flow, classified by their position. */
function readCalls(document: Document, groups: readonly PhaseGroup[]): CommandCall[] {
  const found = new Map<string, CommandCall>();
  const headings = groups.flatMap((group) => group.headings);
  const add = (name: string, offset: number) => {
    const line = lineAt(document, offset);
    const index = groups.findIndex((group) =>
      group.headings.some((heading) => line > heading.line && line < heading.endLine),
    );
    const end = Math.max(0, ...headings.map(({ endLine }) => endLine));
    const phase = index < 0 ? undefined : index + 1;
    const kind = classify(name, phase, line >= end);
    const key = `${name} ${phase ?? ''}`;
    if (!found.has(key)) found.set(key, { name, kind, line, phase });
  };
  for (const call of findCalls(document.text, ['Skill', 'SlashCommand'])) {
    const name = calledSkill(call.body);
    const line = lineAt(document, call.start);
    const before = document.text.slice(document.lineStarts[line] ?? 0, call.start);
    if (name !== undefined && !printed.test(before) && !isMessage(document, line)) add(name, call.start);
  }
  for (const match of document.text.matchAll(slashCommand)) {
    if (zoneAt(document, match.index) !== 'fence') continue;
    const line = lineAt(document, match.index);
    const before = document.text.slice(document.lineStarts[line] ?? 0, match.index);
    if (runs.test(before) && !printed.test(before) && fenceAt(document, line) !== undefined)
      add(match[1] ?? '', match.index);
  }
  return withoutHandoffs([...found.values()]);
}

/**
 * Two calls in one phase are alternatives only when they live in one namespace (`tools:gather`, `tools:test-gather`).
 * Another namespace is a follow-up: after the last phase a terminal handoff, else another skill.
 */
function withoutHandoffs(calls: readonly CommandCall[]): CommandCall[] {
  const last = Math.max(0, ...calls.map(({ phase }) => phase ?? 0));
  const spaces = new Map<number, string>();
  return calls.map((call) => {
    if (call.kind !== 'phase' || call.phase === undefined) return call;
    const space = call.name.slice(0, call.name.lastIndexOf(':'));
    const first = spaces.get(call.phase);
    if (first === undefined) spaces.set(call.phase, space);
    if (first === undefined || first === space) return call;
    return { ...call, kind: call.phase === last ? 'terminal' : 'external' };
  });
}

function classify(name: string, phase: number | undefined, after: boolean): CallKind {
  if (builtIns.has(name)) return 'built-in';
  if (!name.includes(':')) return 'external';
  if (phase !== undefined) return 'phase';
  return after ? 'terminal' : 'external';
}

/** S-040: `{group}-{name}`, the group from the path when there is none, never twice. */
export function skillNameOf(
  commandPath: string,
  name: string | undefined,
  group: string | undefined,
): string {
  const parts = commandPath.split('/').filter((part) => part !== '');
  const own = wordsOf(name ?? parts.at(-1) ?? 'skill');
  const groups = group === undefined ? parts.slice(0, -1) : [group];
  // A name that begins with its groups, or with the last of them, has that part already.
  const shared = groups.findIndex((_, index) =>
    groups
      .slice(index)
      .flatMap(wordsOf)
      .every((word, place) => own[place] === word),
  );
  const prefix = shared < 0 ? groups : groups.slice(0, shared);
  const joined = [...prefix.flatMap(wordsOf), ...own].join('-');
  return joined.slice(0, 64).replace(/-+$/, '');
}

const wordsOf = (name: string) =>
  name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');

/** S-043: bare names in their order, the base set added; a scope that is lost is noted. */
export function convertTools(tools: readonly string[], diagnostics: string[]): string[] {
  for (const tool of tools) {
    if (/\((?!\*\))/.test(tool)) diagnostics.push(`allowed-tools: the scope of ${tool} was dropped.`);
  }
  return [...new Set([...tools.map(bareTool), ...baseTools])].filter((tool) => tool !== '' && tool !== '*');
}

function agentTypesIn(text: string): string[] {
  return [
    ...new Set(
      [...text.matchAll(/subagent_type\s*[:=]\s*["'`]([\w-]+)["'`]/g)].map((match) => match[1] ?? ''),
    ),
  ];
}

/** S-042: the argument hint and the examples become text. */
function withUsage(
  overrides: SectionOverrides,
  hint: string | undefined,
  examples: readonly string[],
): SectionOverrides {
  const lines = [
    ...(hint === undefined ? [] : [`Arguments: ${ticked(hint)}`]),
    ...(examples.length === 0
      ? []
      : [`Examples:\n\n${examples.map((example) => `- ${ticked(example)}`).join('\n')}`]),
  ];
  if (lines.length === 0) return overrides;
  const body = overrides['Input Processing'];
  const form =
    'Turn the request into GOAL, SCOPE and CONTEXT before the first phase. A short text becomes GOAL, a detailed one is sorted, a path is read first.';
  return { ...overrides, 'Input Processing': `${lines.join('\n\n')}\n\n${body ?? form}` };
}

const ticked = (text: string) => `\`${text.replaceAll('`', "'").replace(/\s+/g, ' ').trim()}\``;

/** S-042: `examples` is a list, or one text. */
function examplesOf(frontmatter: Frontmatter): string[] {
  const value = frontmatter.fields.get('examples')?.value;
  if (Array.isArray(value)) return value.map(String);
  const text = fieldText(frontmatter, 'examples')?.trim() ?? '';
  // YAML that does not parse leaves the list as its lines.
  const items = text.split(/\n|\s(?=-\s)/).map((line) => line.replace(/^\s*-\s+/, '').trim());
  return (/^-\s/.test(text) ? items : [text]).filter((item) => item !== '');
}
