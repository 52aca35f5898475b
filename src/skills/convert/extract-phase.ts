import { createHash } from 'node:crypto';
import {
  type Document,
  fenceAt,
  type Heading,
  lineKind,
  linesText,
  lineText,
} from '../../base/markdown/document.ts';
import { parseDocument } from '../../base/markdown/parse.ts';
import type { PhaseConfig } from '../config/workflow-config.ts';
import { syncPhase } from '../fix/sync-compact.ts';
import { sentence } from '../generate/phase-markdown.ts';
import { findHeading, plainTitle, readPhaseFile } from '../model/phase-file.ts';
import { compareBodies, droppedLines, type Edit, type Fidelity, joinParts } from './fidelity.ts';
import { type SanitiseContext, sanitise } from './sanitise.ts';
import { closeFence, type SourcePart } from './source-part.ts';

/** A piece of source text that goes into a phase: a command's body, or a section of a flat skill. */
export type PhaseSource = SourcePart & {
  body: string;
  label: string;
  /** The heading over it when a phase has several. */
  heading?: string;
  /** The text also coordinates, so what it does between phases goes to SKILL.md. */
  coordinates?: true;
};

export type ExtractedPhase = {
  text: string;
  edits: Edit[];
  preferences: string[];
  notes: string[];
  fidelity: Fidelity;
  sha256: string;
  /** Text of the source about work after the phase; it belongs in SKILL.md. */
  postPhase: string;
  /** Whether it has steps, which a sentinel could count. */
  hasSteps: boolean;
  /** The text of each source, as copied into the phase. */
  copied: { path: string; text: string }[];
};

/** S-062: the bodies as they are, under a phase heading; only recorded edits and added sections differ. */
export function extractPhase(
  phase: PhaseConfig,
  sources: readonly PhaseSource[],
  next: { number: number; name: string; file: string } | undefined,
  path: string,
  context: SanitiseContext,
): ExtractedPhase {
  const edits: Edit[] = [];
  const preferences: string[] = [];
  const notes: string[] = [];
  const postPhase: string[] = [];
  const copied: ExtractedPhase['copied'] = [];
  const bodies = sources.map((source, index) => {
    const titled = removeTitle(source.body);
    edits.push(...titled.edits);
    const taken =
      source.coordinates === true ? takePostPhase(titled.text) : { text: titled.text, moved: '', edits: [] };
    edits.push(...taken.edits);
    postPhase.push(taken.moved);
    const clean = sanitise(taken.text, {
      ...context,
      follows: (command) => sources.slice(index + 1).some(({ label }) => label === command),
    });
    edits.push(...clean.edits);
    preferences.push(...clean.preferences);
    notes.push(...clean.notes);
    const numbered = phase.guarded === true ? numberSteps(clean.text, phase.number) : undefined;
    edits.push(...(numbered?.edits ?? []));
    const body = closeFence((numbered?.text ?? clean.text).replace(/^\s*\n/, '').trimEnd());
    copied.push({ path: source.path, text: body });
    if (sources.length === 1) return body;
    // A body that begins with a heading needs none above it, which would be empty.
    const { heading = `Variant: ${source.label}` } = source;
    return source.heading !== undefined && /^#{1,2} /.test(body) ? body : `## ${heading}\n\n${body}`;
  });
  const body = bodies.join('\n\n');
  const document = parseDocument(path, body);
  const lead = phase.description === '' ? `Complete ${phase.name}` : phase.description;
  const has = (wanted: RegExp) => findHeading(document, wanted) !== undefined;
  const parts = [
    `# Phase ${phase.number}: ${phase.name}`,
    sentence(lead),
    ...(has(/^(?:objectives?|goals?|目标)$/i) ? [] : [`## Objective\n\n- ${sentence(lead)}`]),
    body,
    ...(has(/^(?:outputs?|输出)$/i) ? [] : [outputSection(phase, next === undefined)]),
    ...(has(/^next\s+phase\b/i) || has(/^completion\b/i) ? [] : [closing(next)]),
  ];
  const whole = `${parts.join('\n\n')}\n`;
  const made = readPhaseFile(parseDocument(path, whole));
  const hasSteps = made.steps.length > 0;
  const text = syncPhase(made, phase.guarded === true && hasSteps);
  edits.push(...droppedLines('compact-migrated', whole, text));
  const source = joinParts(sources.map((item) => item.body));
  return {
    text,
    edits,
    preferences: [...new Set(preferences)],
    notes,
    fidelity: compareBodies(source, text, edits),
    sha256: createHash('sha256').update(source).digest('hex'),
    postPhase: postPhase.filter((moved) => moved !== '').join('\n\n'),
    hasSteps,
    copied,
  };
}

/** S-084, S-085: a phase that needs a sentinel and has no steps takes its own headings for them, when it has several. */
function numberSteps(body: string, number: number): { text: string; edits: Edit[] } | undefined {
  const document = parseDocument('phases/00-body.md', body);
  if (readPhaseFile(document).steps.length > 0) return undefined;
  const isStep = ({ level, title }: Heading) => level >= 2 && level <= 4 && !notSteps.test(plainTitle(title));
  const level = [2, 3, 4].find(
    (candidate) =>
      document.headings.filter((heading) => heading.level === candidate && isStep(heading)).length > 1,
  );
  if (level === undefined) return undefined;
  const edits = document.headings
    .filter((heading) => heading.level === level && isStep(heading))
    .map(({ line, title }, index): Edit => {
      const before = lineText(document, line);
      const after = before.replace(title, () => `Step ${number}.${index + 1}: ${title}`);
      return { kind: 'step-renumbered', line, before, after };
    });
  const lines = body.split('\n');
  for (const { line, after } of edits)
    lines[line] = after + (lines[line]?.endsWith('\r') === true ? '\r' : '');
  return { text: lines.join('\n'), edits };
}

/** Sections of a phase that never count as steps. */
const notSteps =
  /^(?:objectives?|goals?|overview|purpose|inputs?|outputs?|next\b.*|completion|usage|examples?|notes?|related\b.*|error handling|core rules|data flow|目标|输出)$/i;

/** S-063: the first H1 outside fences. */
function removeTitle(body: string): { text: string; edits: Edit[] } {
  const document = parseDocument('body.md', body);
  const title = document.headings.find(({ level }) => level === 1);
  if (title === undefined) return { text: body, edits: [] };
  const before = lineText(document, title.line);
  const to = document.kinds[title.line + 1] === lineKind.blank ? title.line + 2 : title.line + 1;
  const text = linesText(document, 0, title.line) + linesText(document, to, document.lineStarts.length);
  return { text, edits: [{ kind: 'title-removed', line: title.line, before: `${before}\n`, after: '' }] };
}

function outputSection({ number, outputVariables, outputFiles }: PhaseConfig, last: boolean): string {
  return [
    '## Output',
    '',
    ...outputVariables.map((name) => `- **Variable**: \`${name}\``),
    ...outputFiles.map((file) => `- **File**: \`${file}\``),
    `- **TodoWrite**: Mark Phase ${number} completed${last ? '' : `, Phase ${number + 1} in_progress`}`,
  ].join('\n');
}

function closing(next: { number: number; name: string; file: string } | undefined): string {
  if (next === undefined)
    return '## Completion\n\nReturn to the orchestrator. The workflow is complete; report the outputs of every phase.';
  return `## Next Phase\n\nReturn to orchestrator, then auto-continue to [Phase ${next.number}: ${next.name}](${next.file}).`;
}

/** S-064: what a coordinator writes down between phases ("After Phase 1: update the notes", with its code) is part of SKILL.md. */
function takePostPhase(body: string): { text: string; moved: string; edits: Edit[] } {
  const document = parseDocument('body.md', body);
  const edits: Edit[] = [];
  let text = '';
  let line = 0;
  while (line < document.lineStarts.length) {
    const end = updateEnd(document, line);
    if (end === undefined) text += linesText(document, line, line + 1);
    else edits.push({ kind: 'moved-to-skill', line, before: linesText(document, line, end), after: '' });
    line = end ?? line + 1;
  }
  return { text, moved: edits.map(({ before }) => before.trim()).join('\n\n'), edits };
}

const opening = /^\s*\*\*After Phase \d+(?:\.\d+)?[a-z]?\*\*\s*[:：]/i;
const writes = /\b(?:updat|initiali[sz]|append|record|writ|sav|stor)\w*/i;

/** The line behind an update that begins here: its paragraph, and a fence that follows. */
function updateEnd(document: Document, start: number): number | undefined {
  const { kinds } = document;
  if (kinds[start] !== lineKind.text || !opening.test(lineText(document, start))) return undefined;
  let end = start;
  while (kinds[end] === lineKind.text) end += 1;
  if (!writes.test(linesText(document, start, end))) return undefined;
  let next = end;
  while (kinds[next] === lineKind.blank) next += 1;
  const fence = kinds[next] === lineKind.fenceMark ? fenceAt(document, next) : undefined;
  return fence === undefined ? end : fence.closeLine + 1;
}
