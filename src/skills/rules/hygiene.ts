import { type Document, fenceAt, lineAt, lineText, zoneAt } from '../../base/markdown/document.ts';
import { literalPattern } from '../../base/text/strings.ts';
import { containsAny, isTeaching, type Occurrence, occurrences, summarised } from '../lint/occurrences.ts';
import type { Draft, Rule } from '../lint/rule.ts';
import { findCalls } from '../model/calls.ts';
import type { SkillPackage } from '../model/package.ts';

function inPhases(
  { phases }: SkillPackage,
  find: (document: Document) => Occurrence[],
  what: string,
): Draft[] {
  return phases.flatMap(({ document }) => summarised(document, find(document), what));
}

/** Places of calls that a predicate accepts; calls in inline code and in wrong examples teach. */
function callsWhere(
  document: Document,
  names: readonly string[],
  accept: (body: string) => boolean,
): Occurrence[] {
  return findCalls(document.text, names).flatMap(({ start, body }): Occurrence[] => {
    if (!accept(body)) return [];
    const zone = zoneAt(document, start);
    const line = lineAt(document, start);
    if (zone === 'inline-code' || zone === 'comment' || isTeaching(document, line)) return [];
    return [{ line, offset: start, match: [''] as unknown as RegExpMatchArray }];
  });
}

/** In a script, a comment or a quoted string that only mentions the thing. In shell, double quotes interpolate. */
function isQuotedCode(document: Document, line: number, offset: number): boolean {
  const language = fenceAt(document, line)?.language ?? '';
  if (!/^(?:js|javascript|ts|typescript|jsx|tsx|json)$/.test(language)) return false;
  const before = document.text.slice(document.lineStarts[line] ?? 0, offset);
  if (/(?:^|\s)\/\//.test(before)) return true;
  return (before.split("'").length - 1) % 2 === 1 || (before.split('"').length - 1) % 2 === 1;
}

/** "Resume with: Skill(…)", or an unlabelled block under "To edit later:": words for the user, not a call. */
export function isMessage(document: Document, line: number): boolean {
  const lead = /\b(?:resume|execute|run|edit|continue|usage|try|list|next)\b[^:\n]{0,60}:\s*["'`]?\s*$/i;
  const text = lineText(document, line);
  const call = text.search(/\b(?:Skill|SlashCommand)\(/);
  if (call >= 0 && lead.test(text.slice(0, call))) return true;
  const plain = /^(?:text|txt)?$/.test(fenceAt(document, line)?.language ?? 'none');
  return plain && call >= 0 && text.slice(0, call).trim() === '' && lead.test(lineText(document, line - 1));
}

/** The skill a `Skill(…)` call names. */
export function calledSkill(body: string): string | undefined {
  return /^\s*\{?\s*(?:(?:skill|command|name)\s*[=:]\s*)?["'`]\/?([\w:.-]+)/.exec(body)?.[1];
}

const flagPair = /^[ \t]*(?:[-*][ \t]+)?`?-[a-zA-Z]`?,\s*`?--[a-z][\w-]*/gm;
const flagRow = /^[ \t]*\|\s*`?(?:-[a-zA-Z]`?\s*[,/]\s*`?)?--[a-z][\w-]*/gm;
const flagItem = /^[ \t]*[-*][ \t]+`?--[a-z][\w-]*(?:[ =]?[<[][^\n`]{1,40}[>\]])?`?\s*(?:[:：—–]|\s-\s)/gm;

const abbreviation =
  /\b(?:see|refer to|same as|as in|per) (?:the )?(?:original|source) (?:command|file|document|skill|version|implementation)|\b(?:rest|remainder) (?:of the (?:file|command|steps) )?(?:is |are )?(?:unchanged|omitted|as (?:before|in the original))|\((?:content |details )?(?:abbreviated|omitted for brevity)\)|详见原(?:命令|文件)/gi;

const abbreviationWords = [
  'riginal',
  'source ',
  'omitted',
  'unchanged',
  'as before',
  'abbreviated',
  '详见原',
];

const neededAgents =
  /subagent_type\s*[:=]\s*["'`](?:[\w-]*(?:explor|search|context|analy|research|plan)[\w-]*)["'`]/i;

const promptFlag = /(?:^|\s)(?:-p|--prompt|-m|exec)[ =]+\\?["'][^"'\n]{0,2000}\$\{\s*([^}\n]*)/;
const agentPrograms = /\b(?:ccw|claude|codex|gemini|qwen|opencode|aider|goose|cursor-agent|llm)\b/i;

/** `-p` also belongs to mkdir and others, so an agent program or a telling name must be there too. */
function interpolatesPrompt(body: string): boolean {
  const found = promptFlag.exec(body);
  if (found === null || /^(?:shellQuote|escape|quote)/.test(found[1] ?? '')) return false;
  return agentPrograms.test(body.slice(0, found.index + 1)) || /prompt/i.test(found[1] ?? '');
}

export const hygieneRules: readonly Rule[] = [
  {
    id: 'HY001',
    severity: 'error',
    fence: 'fences',
    summary: 'Phases do not touch raw arguments, by any method.',
    why: 'Arguments are read once, in SKILL.md, and reach phases as workflowPreferences; a second parser disagrees sooner or later.',
    hint: 'Read the flag in SKILL.md and use workflowPreferences.<key> here.',
    bad: "const y = $ARGUMENTS.includes('--yes')",
    check: (subject) =>
      inPhases(
        subject,
        (document) =>
          occurrences(document, /(?<!\\)\$ARGUMENTS\b/g, 'fences', '$ARGUMENTS').filter(
            ({ line, offset }) => !isQuotedCode(document, line, offset),
          ),
        'Raw arguments are used in a phase',
      ),
  },
  {
    id: 'HY002',
    severity: 'error',
    fence: 'fences',
    summary: 'A phase does not call its own skill.',
    why: 'The call starts the router again, with an empty context, instead of the next phase.',
    hint: 'Hand over by reading the phase file: Read("phases/NN-slug.md").',
    bad: 'Skill(skill="workflow-lite-plan", args="--in-memory")',
    check: (subject) => {
      const own = new Set(subject.ownNames);
      const find = (document: Document) =>
        callsWhere(document, ['Skill', 'SlashCommand'], (body) => own.has(calledSkill(body) ?? '')).filter(
          ({ line }) => !isMessage(document, line),
        );
      return inPhases(subject, find, 'The phase calls its own skill');
    },
  },
  {
    id: 'HY003',
    severity: 'warning',
    fence: 'everywhere',
    summary: 'A phase has no usage examples of the skill.',
    why: 'Phases are read by the executor, not by users; an invocation there is followed as an instruction.',
    hint: 'Move the example to SKILL.md.',
    bad: '/workflow:multi-cli-plan "Add dark mode"',
    check: (subject) => {
      const names = subject.ownNames.map(literalPattern).join('|');
      const calls = subject.ownNames.map((name) => `/${name}`);
      const pattern = new RegExp(`(?<![\\w./-])/(?:${names})(?![\\w:/.-])`, 'g');
      return inPhases(
        subject,
        (document) => (containsAny(document.text, calls) ? occurrences(document, pattern, 'everywhere') : []),
        'The phase shows how to call its own skill',
      );
    },
  },
  {
    id: 'HY004',
    severity: 'warning',
    fixable: true,
    fence: 'prose',
    summary: 'A phase carries no line that only says where it was converted from.',
    why: 'Provenance is for maintainers; the executor goes looking for the file. The conversion report keeps it.',
    hint: 'Delete the line.',
    bad: '**Source**: Converted from commands/plan.md',
    check: (subject) => inPhases(subject, provenanceNotes, 'A provenance note is left'),
  },
  {
    id: 'HY005',
    severity: 'warning',
    fence: 'fences',
    summary: 'A phase defines no command line flags.',
    why: 'Flags are the router’s business; a definition here invites the phase to parse them.',
    hint: 'Move the definitions to Input Processing in SKILL.md.',
    bad: '-y, --yes   Skip prompts',
    check: (subject) =>
      inPhases(
        subject,
        (document) => {
          if (!/--[a-z]/.test(document.text)) return [];
          const prose = [
            ...occurrences(document, flagRow, 'everywhere'),
            ...occurrences(document, flagItem, 'everywhere'),
          ].filter(({ offset }) => zoneAt(document, offset) !== 'fence');
          return [...occurrences(document, flagPair, 'everywhere'), ...prose].sort((a, b) => a.line - b.line);
        },
        'Command line flags are defined in a phase',
      ),
  },
  {
    id: 'HY006',
    severity: 'warning',
    fence: 'fences',
    summary: 'A phase does not abbreviate text of its source.',
    why: 'The original is not there at run time, so the detail is lost.',
    hint: 'Put the full text in.',
    bad: 'See original command for details',
    check: (subject) =>
      inPhases(
        subject,
        (document) =>
          containsAny(document.text, abbreviationWords) ? occurrences(document, abbreviation, 'fences') : [],
        'Text is abbreviated',
      ),
  },
  {
    id: 'HY007',
    severity: 'error',
    in: { single: 'off' },
    fence: 'fences',
    summary: 'An agent whose result is needed next does not run in the background.',
    why: 'The next step starts before the result is there and works without it.',
    hint: 'Drop run_in_background, or collect the result with TaskOutput before it is used.',
    bad: 'run_in_background: true on an exploration agent',
    check: ({ documents }) =>
      documents.flatMap((document) =>
        summarised(
          document,
          !document.text.includes('run_in_background') || /\b(?:TaskOutput|AgentOutput)\(/.test(document.text)
            ? []
            : callsWhere(
                document,
                ['Task', 'Agent'],
                (body) => /run_in_background["']?\s*[:=]\s*true/.test(body) && neededAgents.test(body),
              ),
          'An agent whose result is needed runs in the background',
        ),
      ),
  },
  {
    id: 'HY008',
    severity: 'error',
    fence: 'fences',
    summary: 'A prompt is not interpolated into a shell string.',
    why: 'Backticks, quotes and dollar signs in the prompt are executed by the shell.',
    hint: 'Pass the prompt on stdin or as a file.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is about it
    bad: 'Bash(`ccw cli -p "${prompt}"`)',
    check: ({ documents }) =>
      documents.flatMap((document) =>
        summarised(
          document,
          callsWhere(document, ['Bash'], interpolatesPrompt),
          'A prompt is interpolated into a shell string',
        ),
      ),
  },
];

const provenanceWords = ['onvert', 'xtract', 'igrat', 'orted from', '转换', '迁移', 'commands/'];
const note =
  /^[ \t>]*(?:[-*][ \t]+)?[*_]{0,3}(?:(?:source|origin|provenance|来源|出处|源)[*_]{0,3}\s*[:：][*_]{0,3}([^\n]*(?:convert|extract|migrat|转换|迁移|commands\/)[^\n]*)|(?:converted|extracted|migrated|ported|转换)\s*(?:from|自)([^\n]*(?:commands?\/|\bcommand\b|\.md)[^\n]*))$/gim;

/** A name or path, a number or date, Chinese, or a word that sentences on a source are made of. */
const word =
  /^(?:`[^`]*`|\[.*\)|\S*[\w}]\/\S*|\/[\w:-]+|\S+\.md|v?\d[\d.:-]*|[\p{Script=Han}\d]+|(?:auto(?:matically|-converted)?|converted|extracted|migrated|ported|adapted|fused|shared|merged|split|taken|derived|generated|from|by|on|at|in|of|and|with|the|this|its|an?|is|was|original|old|former|legacy|source|slash|commands?|files?|skills?|documents?|phases?|steps?|sections?|parts?|versions?)[.。]?)[.。]?$/iu;

/** HY004: lines that only name the origin of a text; a line with more may be an instruction. */
export function provenanceNotes(document: Document): Occurrence[] {
  if (!containsAny(document.text, provenanceWords)) return [];
  return occurrences(document, note, 'prose').filter(({ match }) => isOnlyNote(match[1] ?? match[2] ?? ''));
}

function isOnlyNote(text: string): boolean {
  const pieces = text.slice(0, 1_000).match(/`[^`]*`|\[[^[\]]*\]\([^()\s]*\)|[^\s,、+&*_()[\]`]+/g) ?? [];
  return text.length <= 1_000 && pieces.every((piece) => /^[.。]$/.test(piece) || word.test(piece));
}
