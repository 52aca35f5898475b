import type { Document } from '../../base/markdown/document.ts';
import { trimEndChars } from '../../base/text/strings.ts';
import { type Frontmatter, fieldText } from './frontmatter.ts';
import { findHeading } from './phase-file.ts';
import { readPhaseTable, readRoutingTable, routesByTable } from './phase-table.ts';

/** FM004: characters of a description that a host reads. */
export const maxDescription = 1024;

/** S-041: the phrases after "Triggers on"; every quoted phrase of that clause is one. */
export function readTriggers(description: string): string[] {
  const clause = /\btriggers?(?:\s+on)?\b|触发/i.exec(description);
  if (clause === null) return [];
  return [
    ...new Set(
      [...description.matchAll(quoted)]
        .filter(({ index }) => index >= clause.index)
        .map((match) => (match[1] ?? '').trim()),
    ),
  ];
}

/** A missing quote must not turn the separator between two phrases into a trigger such as `", "`. */
const quoted = /(?<![\p{L}\p{N}])["“「](?=[^\s,;.])([^"”」\n]{0,199}[^\s"”」])["”」](?![\p{L}\p{N}])/gu;

/** A trigger that users type literally, such as `workflow:plan` or `/plan`; all others are phrases a model weighs. */
export function isCommand(trigger: string): boolean {
  return /^\/[\w:-]+$|^[\w-]+(?::[\w-]+)+$/.test(trigger);
}

/** Tool names of `allowed-tools`, comma or blank separated or a YAML list, as written. */
export function readTools(frontmatter: Frontmatter): string[] {
  const value = frontmatter.fields.get('allowed-tools')?.value;
  if (Array.isArray(value)) return value.map((tool) => String(tool).trim()).filter((tool) => tool !== '');
  return splitTools(fieldText(frontmatter, 'allowed-tools') ?? '');
}

/** Commas and blanks inside parentheses belong to the tool: `Bash(git add:*, git commit:*)` is one. */
export function splitTools(text: string): string[] {
  const tools: string[] = [];
  let depth = 0;
  let word = '';
  for (const character of text.replace(/^\[|\]$/g, '')) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth <= 0 && (character === ',' || character === ' ' || character === '\t')) {
      tools.push(word);
      word = '';
    } else word += character;
  }
  tools.push(word);
  return tools.map((tool) => bare(tool).trim()).filter((tool) => tool !== '');
}

/** Without quotes around it and dashes before it. */
function bare(tool: string): string {
  return trimEndChars(tool.replace(/^["'-]+/, ''), `"'`);
}

/** `Task(ui-agent)` and `Task(*)` are both `Task`. */
export function bareTool(tool: string): string {
  return tool.replace(/\(.*$/s, '').trim();
}

const families = [
  ['Task', 'Agent'],
  ['TodoWrite', 'TaskCreate', 'TaskUpdate', 'TaskList', 'TaskGet'],
] as const;

/** S-044: whether a used tool is declared, the two renamed families counted as one each. */
export function isDeclared(tool: string, declared: ReadonlySet<string>): boolean {
  if (declared.has(tool) || declared.has('*')) return true;
  const family = families.find((names) => (names as readonly string[]).includes(tool));
  return family?.some((name) => declared.has(name)) ?? false;
}

/** Every spelling under which this package can be called: name, colon form, triggers that look like commands. */
export function ownNames(name: string, triggers: readonly string[]): string[] {
  const names = new Set<string>([
    name,
    ...triggers.filter((trigger) => /^[\w-]+(?::[\w-]+)+$/.test(trigger)),
  ]);
  const dash = name.indexOf('-');
  if (dash > 0) names.add(`${name.slice(0, dash)}:${name.slice(dash + 1)}`);
  for (const trigger of [...names]) names.add(trigger.replaceAll(':', '-'));
  return [...names].filter((own) => own !== '');
}

/** How a package is built; rules name the profiles they apply to. */
export const profiles = ['single', 'pipeline', 'router', 'loop'] as const;

export type Profile = (typeof profiles)[number];

/**
 * A package without phases is single; one with phases is a pipeline unless it routes or loops. A folder `phases/` whose
 * files have no numbers and which SKILL.md neither marks with Ref nor lists in a table holds documents of some other kind.
 */
export function detectProfile(
  skill: Document | undefined,
  phases: readonly { slug: string; document: { path: string } }[],
): Profile {
  const slugs = phases.map(({ slug }) => slug);
  if (skill === undefined) return slugs.length > 0 ? 'pipeline' : 'single';
  const numbered = phases.some(({ document }) => /^phases\/\d/.test(document.path));
  const namesPhases =
    /\bRef:\s*`?phases\/(?:\d|\w[\w-]*\.md)/.test(skill.text) ||
    findHeading(skill, /^phase reference documents$/i) !== undefined ||
    (slugs.length > 0 && readPhaseTable(skill) !== undefined);
  if (!numbered && !namesPhases && !routesByTable(skill, slugs)) return 'single';
  if (
    readRoutingTable(skill) !== undefined ||
    findHeading(skill, /^mode detection\s*(?:&|and)\s*routing$/i) !== undefined ||
    routesByTable(skill, slugs)
  ) {
    return 'router';
  }
  return findHeading(skill, /^loop control$/i) === undefined ? 'pipeline' : 'loop';
}
