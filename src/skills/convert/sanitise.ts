import { lineAt, lineKind, lineText, zoneAt } from '../../base/markdown/document.ts';
import { parseDocument } from '../../base/markdown/parse.ts';
import { literalPattern } from '../../base/text/strings.ts';
import { removeProvenance } from '../fix/fix-sections.ts';
import { closingBracket, findCalls } from '../model/calls.ts';
import { readPhaseFile } from '../model/phase-file.ts';
import { calledSkill } from '../rules/hygiene.ts';
import { droppedLines, type Edit } from './fidelity.ts';

export type Sanitised = {
  text: string;
  edits: Edit[];
  /** Preference keys that phases now read. */
  preferences: string[];
  /** Findings that were not changed. */
  notes: string[];
};

export type SanitiseContext = {
  /** Names under which this package is called. */
  ownNames: readonly string[];
  /** Path of the phase a sub-command became. */
  phaseOf: (command: string) => string | undefined;
  /** Whether the text of a command follows in the same phase; a call then means that text. */
  follows?: (command: string) => boolean;
};

const knownFlags: Readonly<Record<string, string>> = {
  y: 'autoYes',
  yes: 'autoYes',
  auto: 'autoYes',
  e: 'forceExplore',
  explore: 'forceExplore',
};

/** S-065: `--dry-run` becomes `dryRun`. */
export function preferenceKey(flag: string): string {
  const bare = flag.replace(/^-+/, '');
  const known = Object.hasOwn(knownFlags, bare) ? knownFlags[bare] : undefined;
  return known ?? bare.replace(/[-_]+([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
}

/** The allowed hygiene edits on one body, each recorded (C-02). */
export function sanitise(body: string, context: SanitiseContext): Sanitised {
  const result: Sanitised = { text: body, edits: [], preferences: [], notes: [] };
  replaceArguments(result);
  replaceSelfRouting(result, context);
  removeInvocations(result, context.ownNames);
  removeProvenanceLines(result);
  if (result.text.includes('$ARGUMENTS'))
    result.notes.push('$ARGUMENTS is still used in another way than includes(); rewrite it by hand.');
  return result;
}

/** The same for text of the coordinator: it is read by users too, and may use its arguments. */
export function sanitiseCoordinator(body: string, context: SanitiseContext): Sanitised {
  const result: Sanitised = { text: body, edits: [], preferences: [], notes: [] };
  replaceArguments(result);
  replaceSelfRouting(result, context);
  return result;
}

const access = /\$ARGUMENTS\s*\.\s*includes\(\s*["'`](--?[A-Za-z][\w-]*)["'`]\s*\)/g;

function replaceArguments(result: Sanitised): void {
  if (!result.text.includes('$ARGUMENTS')) return;
  const keys = new Set<string>();
  replaceLines(result, 'argument-access', (line) => {
    const replaced = line.replace(access, (_, flag: string) => {
      const key = preferenceKey(flag);
      keys.add(key);
      return `workflowPreferences.${key}`;
    });
    return replaced === line ? line : collapseOr(replaced);
  });
  result.preferences.push(...keys);
}

/** `a || a || a` is `a`, whatever the number of operands. */
function collapseOr(line: string): string {
  const operand = /(workflowPreferences\.\w+)(?:\s*\|\|\s*\1\b)+/g;
  return line.replace(operand, '$1');
}

function replaceSelfRouting(result: Sanitised, { ownNames, phaseOf, follows }: SanitiseContext): void {
  for (const call of findCalls(result.text, ['Skill', 'SlashCommand']).reverse()) {
    const name = calledSkill(call.body);
    if (name === undefined) continue;
    const path = phaseOf(name);
    const close = closingBracket(result.text, call.bodyStart, '(', ')');
    if (path !== undefined && close !== undefined) {
      const instead = follows?.(name) === true ? ownText(name, call.body) : `Read("${path}")`;
      // The edit is that of whole lines, so that it cannot be taken for one of the same call elsewhere.
      const start = result.text.lastIndexOf('\n', call.start) + 1;
      const next = result.text.indexOf('\n', close);
      const end = next < 0 ? result.text.length : next;
      const before = result.text.slice(start, end);
      const after = result.text.slice(start, call.start) + instead + result.text.slice(close + 1, end);
      const line = lineAt(parseDocument('body.md', result.text), call.start);
      result.edits.push({ kind: 'self-routing', line, before, after });
      result.text = result.text.slice(0, start) + after + result.text.slice(end);
    } else if (ownNames.includes(name))
      result.notes.push(
        `The call of ${name} leads to this skill itself; decide by hand which phase is meant.`,
      );
  }
}

/** A call of the text that follows in the same phase, with the arguments it was given. */
function ownText(name: string, body: string): string {
  const rest = body.slice(body.indexOf(name) + name.length).trimEnd();
  // The quote around the name alone, or around the name and its arguments.
  const given = rest.replace(/^["'`]/.test(rest) ? /^["'`]/ : /["'`]$/, '').replaceAll('*/', '* /');
  return `/* run ${name}, below${given} */`;
}

/** Usage lines of the own skill go from prose; in fences they are only reported (C-02). */
function removeInvocations(result: Sanitised, ownNames: readonly string[]): void {
  const names = ownNames.map(literalPattern).join('|');
  const usage = new RegExp(
    `^\\s*(?:[-*+]\\s+|\\d+\\.\\s+)?(?:\\*\\*[^*]+\\*\\*:?\\s*)?\`?/(?:${names})(?![\\w:/.-])`,
  );
  const document = parseDocument('body.md', result.text);
  const kept: string[] = [];
  document.lineStarts.forEach((start, line) => {
    const text = lineText(document, line);
    if (usage.test(text)) {
      if (zoneAt(document, start) === 'fence')
        result.notes.push(`A fence contains a usage example: ${text.trim().slice(0, 80)}`);
      else if (document.kinds[line] === lineKind.text) {
        result.edits.push({ kind: 'invocation-removed', line, before: `${text}\n`, after: '' });
        return;
      }
    }
    kept.push(result.text.slice(start, document.lineStarts[line + 1] ?? result.text.length));
  });
  result.text = kept.join('');
}

function removeProvenanceLines(result: Sanitised): void {
  const document = parseDocument('phases/00-body.md', result.text);
  const after = removeProvenance(readPhaseFile(document));
  if (after === result.text) return;
  result.edits.push(...droppedLines('provenance-removed', result.text, after));
  result.text = after;
}

function replaceLines(result: Sanitised, kind: Edit['kind'], change: (line: string) => string): void {
  result.text = result.text
    .split('\n')
    .map((before, line) => {
      const after = change(before);
      if (after !== before) result.edits.push({ kind, line, before, after });
      return after;
    })
    .join('\n');
}
