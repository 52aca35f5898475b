import { withoutLastNote } from '../../text/without-last-note.ts';
import {
  baseTools,
  checkPhaseCount,
  type RoughConfig,
  type RoughPhase,
  titleOf,
} from '../config/complete-config.ts';
import { findCalls } from '../document/calls.ts';
import { type Document, type Heading, lineAt, linesText, zoneAt } from '../document/document.ts';
import { parseDocument } from '../document/parse.ts';
import type { SectionOverrides } from '../generate/skill-markdown.ts';
import { readDataFlow } from '../model/data-flow.ts';
import { fieldText, readFrontmatter } from '../model/frontmatter.ts';
import { bareTool, readTools, readTriggers } from '../model/identity.ts';
import { calledSkill } from '../rules/hygiene.ts';
import type { PhaseSource } from './extract-phase.ts';
import { type Coordinator, readCoordinator } from './sections.ts';
import { droppedFields, frontmatterRemoved, stripFrontmatter, titleRemoved } from './strip.ts';

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
const phaseHeading = /^(?:[^\p{L}\p{N}]*)phase\s+(\d+(?:\.\d+)?)\s*[:：—–-]\s*(.+)$/iu;

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
  const headings = phaseHeadings(document);
  const calls = readCalls(document, headings);
  const phaseOf = new Map<string, number>();
  const texts = new Map([[commandPath, text]]);
  const sources: PhaseSource[][] = [];
  const phases: RoughPhase[] = [];
  const flow = readDataFlow(document);
  headings.forEach((heading, index) => {
    const own = [
      ...new Set(
        calls.filter(({ phase, kind }) => phase === index + 1 && kind === 'phase').map(({ name }) => name),
      ),
    ];
    const found = own.flatMap((name): { source: PhaseSource; description: string }[] => {
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
    const [only] = found.length === 1 ? found : [];
    if (only !== undefined) only.source.heading = 'Procedure';
    const [, given, title = heading.title] = phaseHeading.exec(heading.title) ?? [];
    const name = withoutLastNote(title).trim();
    // "(Optional, when …)" is no part of a name, but says when the phase runs.
    const note = title.slice(title.indexOf(name) + name.length).trim();
    const body = linesText(document, heading.line + 1, heading.endLine);
    const section: PhaseSource = {
      path: `${commandPath}.md`,
      body: note === '' ? body : `${note}\n\n${body.replace(/^\s*\n/, '')}`,
      label: 'orchestrator',
      section: heading.title,
      heading: 'Coordination',
    };
    // S-064: what the orchestrator says around a call stays with the text that it calls.
    sources.push([...(section.body.trim() === '' ? [] : [section]), ...found.map(({ source }) => source)]);
    const number = Number(given ?? index + 1);
    const outputs = flow.outputs.filter(({ phase }) => phase === number);
    phases.push({
      name,
      description: found[0]?.description ?? '',
      sourcePath: `${found[0]?.source.path ?? `${commandPath}.md`}`,
      agentTypes: agentTypesIn(found.map(({ source }) => source.body).join('\n')),
      outputVariables: [
        ...new Set(outputs.filter(({ kind }) => kind === 'variable').map(({ name }) => name)),
      ],
      outputFiles: [...new Set(outputs.filter(({ kind }) => kind === 'file').map(({ name }) => name))],
    });
  });
  if (phases.length === 0) {
    phases.push({
      name: titleOf(commandPath.split('/').at(-1) ?? 'Run'),
      description: fieldText(frontmatter, 'description') ?? '',
      sourcePath: `${commandPath}.md`,
    });
    sources.push([{ path: `${commandPath}.md`, body: stripFrontmatter(text), label: 'orchestrator' }]);
  }
  const name = skillNameOf(commandPath, fieldText(frontmatter, 'name'), fieldText(frontmatter, 'group'));
  const description = fieldText(frontmatter, 'description') ?? `Runs the ${titleOf(name)} workflow`;
  const hint = fieldText(frontmatter, 'argument-hint');
  const examples = fieldText(frontmatter, 'examples');
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
    },
    sources,
    coordinator: { ...coordinator, overrides: withUsage(coordinator.overrides, hint, examples) },
    texts: [...texts.values()],
    calls,
    phaseOf,
    diagnostics,
  };
}

/** Headings "Phase N: …" of the level where they occur first. */
function phaseHeadings({ headings }: Document): Heading[] {
  const found = headings.filter(({ title }) => phaseHeading.test(title));
  const level = found.reduce((least, heading) => Math.min(least, heading.level), 6);
  const phases = found.filter((heading) => heading.level === level);
  checkPhaseCount(phases.length);
  return phases;
}

/** S-022, S-023: calls by `Skill(…)`, `SlashCommand(…)` and bare `/a:b:c` in the flow, classified by where they stand. */
function readCalls(document: Document, headings: readonly Heading[]): CommandCall[] {
  const found = new Map<string, CommandCall>();
  const add = (name: string, offset: number) => {
    const line = lineAt(document, offset);
    const index = headings.findIndex((heading) => line > heading.line && line < heading.endLine);
    const end = Math.max(0, ...headings.map(({ endLine }) => endLine));
    const phase = index < 0 ? undefined : index + 1;
    const kind = classify(name, phase, line >= end);
    const key = `${name} ${phase ?? ''}`;
    if (!found.has(key)) found.set(key, { name, kind, line, phase });
  };
  for (const call of findCalls(document.text, ['Skill', 'SlashCommand'])) {
    const name = calledSkill(call.body);
    if (name !== undefined) add(name, call.start);
  }
  for (const match of document.text.matchAll(/(?<![\w./-])\/([a-z][\w-]*(?::[\w-]+)+)(?![\w:/])/g)) {
    if (zoneAt(document, match.index) === 'fence') add(match[1] ?? '', match.index);
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
  const own = (name ?? parts.at(-1) ?? 'skill').trim();
  const prefix = group?.trim() ?? parts.slice(0, -1).join('-');
  const joined =
    prefix === '' || own === prefix || own.startsWith(`${prefix}-`) || own.startsWith(`${prefix}:`)
      ? own
      : `${prefix}-${own}`;
  return joined
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)
    .replace(/-+$/, '');
}

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
  examples: string | undefined,
): SectionOverrides {
  const lines = [
    ...(hint === undefined ? [] : [`Arguments: \`${hint.replaceAll('`', "'")}\``]),
    ...(examples === undefined ? [] : [`Examples: \`${examples.replaceAll('`', "'")}\``]),
  ];
  if (lines.length === 0) return overrides;
  const body = overrides['Input Processing'];
  const form =
    'Turn the request into GOAL, SCOPE and CONTEXT before the first phase. A short text becomes GOAL, a detailed one is sorted, a path is read first.';
  return { ...overrides, 'Input Processing': `${lines.join('\n\n')}\n\n${body ?? form}` };
}
