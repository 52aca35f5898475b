import { createHash } from 'node:crypto';
import type { PhaseConfig } from '../config/workflow-config.ts';
import { lineKind, linesText, lineText } from '../document/document.ts';
import { parseDocument } from '../document/parse.ts';
import { syncPhase } from '../fix/sync-compact.ts';
import { sentence } from '../generate/phase-markdown.ts';
import { findHeading, readPhaseFile } from '../model/phase-file.ts';
import { compareBodies, type Edit, type Fidelity } from './fidelity.ts';
import { type SanitiseContext, sanitise } from './sanitise.ts';

/** A piece of source text that goes into a phase: a command's body, or a section of a flat skill. */
export type PhaseSource = {
  path: string;
  body: string;
  label: string;
  /** Title of the section that the body is; absent: the whole file. */
  section?: string;
  /** The heading over it when a phase has several. */
  heading?: string;
};

export type ExtractedPhase = {
  text: string;
  edits: Edit[];
  preferences: string[];
  notes: string[];
  fidelity: Fidelity;
  sha256: string;
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
  const bodies = sources.map((source, index) => {
    const titled = removeTitle(source.body);
    edits.push(...titled.edits);
    const clean = sanitise(titled.text, {
      ...context,
      follows: (command) => sources.slice(index + 1).some(({ label }) => label === command),
    });
    edits.push(...clean.edits);
    preferences.push(...clean.preferences);
    notes.push(...clean.notes);
    const body = clean.text.replace(/^\s*\n/, '').trimEnd();
    if (sources.length === 1) return body;
    // A body that begins with a heading needs none above it, which would be empty.
    const { heading = `Variant: ${source.label}` } = source;
    return source.heading !== undefined && /^#{1,2} /.test(body) ? body : `## ${heading}\n\n${body}`;
  });
  const body = bodies.join('\n\n');
  const document = parseDocument(path, body);
  const lead = phase.description === '' ? `Carry out ${phase.name}` : phase.description;
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
  const text = syncPhase(readPhaseFile(parseDocument(path, whole)), phase.guarded === true);
  const source = sources.map((item) => item.body).join('\n');
  return {
    text,
    edits,
    preferences: [...new Set(preferences)],
    notes,
    fidelity: compareBodies(source, text, edits),
    sha256: createHash('sha256').update(source).digest('hex'),
  };
}

/** S-063: the first H1 outside fences, wherever it stands. */
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
