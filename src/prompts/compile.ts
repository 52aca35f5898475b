import { fenceInfo, markdownLines } from '../base/markdown/lines.ts';
import { type ArtifactFiles, type ArtifactKey, artifacts } from './artifacts.ts';
import { type IterationContext, iterationPart } from './dispatch-log.ts';
import type { PrdResolution } from './feature-files.ts';
import { type DomainOutcome, outcomePart } from './markers.ts';
import { type Answer, data, optionalData, type Part, type PromptDraft, readable, words } from './part.ts';
import {
  checkArtifacts,
  inlineArtifactPart,
  requiredArtifactsPart,
  targetPart,
} from './required-artifacts.ts';
import { type Dispatch, implementerReport, shapes } from './roles/shapes.ts';

/** A line of a shell command and its place. */
type ShellPlaceholder = { line: number; text: string };

/** T-145: a `{placeholder}` in a shell command that will be run. */
export function findShellPlaceholders(tasks: string): ShellPlaceholder[] {
  const findings: ShellPlaceholder[] = [];
  let shell = false;
  for (const line of markdownLines(tasks)) {
    if (line.kind === 'fence-open') shell = /^(?:sh|bash|shell|zsh|console)\b/i.test(fenceInfo(tasks, line));
    if (line.kind !== 'code' || !shell) continue;
    const text = tasks.slice(line.start, Math.min(line.end, line.start + 2_000));
    if (/(?<!\$)\{[a-z][\w -]*\}/i.test(text)) findings.push({ line: line.number, text: text.trim() });
  }
  return findings;
}

type TransportChoice = {
  /** What the caller asked for. */
  requested?: Transport;
  /** T-142: whether the agent can open files. */
  canRead: boolean;
  characters: number;
  /** Targets up to this size go into the prompt, longer ones by reference. */
  inlineUpTo?: number;
};

/** I5: the text under review is in the prompt, unless the caller asked otherwise or it is longer than allowed. */
export function chooseTransport({ requested, canRead, characters, inlineUpTo }: TransportChoice): Transport {
  if (!canRead) return 'inline';
  if (inlineUpTo !== undefined) return characters <= inlineUpTo ? 'inline' : 'reference';
  return requested ?? 'inline';
}

export type Transport = 'reference' | 'inline';

export type CompileInput = {
  dispatch: Dispatch;
  files: ArtifactFiles;
  prd: PrdResolution;
  /** lean/C-05: how the artifact under review is passed. */
  transport: Transport;
  iteration: IterationContext;
  /** T-040: changed files, for roles that read code. */
  implementationFiles?: readonly string[];
  /** T-110: what the fixer has to fix. */
  issues?: string;
  /** T-049: what the test writer has to write. */
  outlines?: string;
  /** T-050: what the researchers look for. */
  subject?: string;
  outcome?: DomainOutcome;
};

export type Compiled = {
  draft: PromptDraft;
  /** Files the answer must confirm to have read (T-073). */
  expected: readonly ArtifactKey[];
  inlined: readonly ArtifactKey[];
  pruned: readonly ArtifactKey[];
  warnings: readonly string[];
};

/** T-036…T-048: the prompt of a fresh call. */
export function compilePrompt(input: CompileInput): Compiled {
  const { dispatch, files, prd } = input;
  const warnings = [...checkArtifacts(dispatch, files), ...prdWarnings(input)];
  const inlineTarget = targetText(input, warnings);
  const target = inlineTarget === undefined ? dispatch.target : undefined;
  return {
    draft: {
      task: `${dispatch.command}/${dispatch.role}`,
      fixed: [
        words('role', dispatch.rubric),
        ...requiredArtifactsPart({ keys: dispatch.required, files, prd, reads: dispatch.reads }),
        ...(target === undefined ? [] : [targetPart(target, { files, reads: dispatch.reads })]),
        ...(dispatch.expects === undefined
          ? []
          : [words('next-phase', dispatch.expects, 'Next Phase Expectations')]),
      ],
      answer: answerOf(dispatch),
      changing: [
        ...(inlineTarget === undefined || dispatch.target === undefined
          ? []
          : [inlineArtifactPart(dispatch.target, inlineTarget)]),
        ...callParts(input),
        iterationPart({
          ...input.iteration,
          ...(dispatch.phaseReview === true ? { phaseReview: true } : {}),
        }),
      ],
    },
    expected: expectedReads(input, target),
    inlined: inlineTarget === undefined || dispatch.target === undefined ? [] : [dispatch.target],
    pruned: dispatch.unpruned.filter((key) => !dispatch.required.includes(key)),
    warnings,
  };
}

function callParts(input: CompileInput): Part[] {
  const { dispatch, implementationFiles = [], issues, outlines, subject, outcome } = input;
  const fixes = dispatch.role === 'implementer';
  return [
    ...optionalData('subject', subject, { heading: 'Feature' }),
    ...optionalData('test_outlines', outlines, { heading: 'Test Outlines' }),
    ...(dispatch.listsFiles === true && implementationFiles.length > 0
      ? [filesPart(fixes ? 'All Implementation Files' : 'Implementation Files', implementationFiles)]
      : []),
    ...(fixes && issues !== undefined
      ? [data('issues', issues, { heading: 'Issues to fix (from failed reviewers only)', limit: 200_000 })]
      : []),
    ...(outcome === undefined ? [] : [outcomePart(outcome)]),
  ];
}

/** T-040: newline-separated paths; a name with control characters cannot start a new line. */
export function filesPart(heading: string, paths: readonly string[]): Part {
  const list = paths.map((path) => readable(path.replace(/[\r\n]/g, '\ufffd')));
  return words('implementation-files', list.join('\n') || 'none', heading);
}

function answerOf(dispatch: Dispatch): Answer {
  if (dispatch.answer === 'report') return { kind: 'text', rules: implementerReport };
  return { kind: 'shape', shape: shapes[dispatch.answer] };
}

/** The text to put into the prompt, when the target travels inline and can. */
function targetText(input: CompileInput, warnings: string[]): string | undefined {
  const { dispatch, files, transport } = input;
  if (dispatch.target === undefined) return undefined;
  if (transport === 'reference' && dispatch.targetInline !== true) return undefined;
  const file = files[dispatch.target];
  if (file.kind !== 'present') return undefined;
  const name = artifacts[dispatch.target].file;
  if (file.text === undefined) warnings.push(`${name} is too large to go into a prompt; it is referred to`);
  else if (file.damaged) warnings.push(`${name} is not UTF-8; it is referred to`);
  return file.damaged ? undefined : file.text;
}

/** The sentinel is not a file and a missing artifact cannot be read, so neither is expected. */
function expectedReads(
  { dispatch, files, prd }: CompileInput,
  target: ArtifactKey | undefined,
): ArtifactKey[] {
  const listed = [...dispatch.required, ...(target === undefined ? [] : [target])];
  return listed.filter((key) =>
    key === 'prd' && target !== 'prd'
      ? prd.kind === 'path' || prd.kind === 'fallback'
      : files[key].kind === 'present',
  );
}

/** T-017: a role without the PRD hears nothing about it. */
function prdWarnings({ dispatch, files, prd }: CompileInput): string[] {
  if (!dispatch.required.includes('prd')) return [];
  const own = files.prd.kind === 'unusable' ? [`prd.md is ${files.prd.reason}`] : [];
  return prd.kind === 'broken'
    ? [...own, `brainstorm_source ${JSON.stringify(prd.source)} cannot be used: ${prd.reason}`]
    : own;
}
