import { type ArtifactFiles, artifacts } from '../artifacts.ts';
import type { PrdResolution } from '../feature-files.ts';
import { data, optionalData, type Part, type PromptDraft, request, words } from '../part.ts';
import { requiredArtifactsPart, targetPart } from '../required-artifacts.ts';
import { documents } from './documents.ts';

/** Issues of a review, one line each, as the gate sorted them. */
type ReviewedIssues = { must: readonly string[]; may: readonly string[] };

/** T-121: what has to be resolved, and what may be. */
function issueParts({ must, may }: ReviewedIssues): Part[] {
  const list = (issues: readonly string[]) =>
    issues.map((issue) => `- ${issue.replace(/\s+/g, ' ').trim()}`).join('\n');
  return [
    ...(must.length === 0
      ? []
      : [data('must_resolve', list(must), { heading: 'Must be resolved', limit: 100_000 })]),
    ...(may.length === 0
      ? []
      : [data('may_resolve', list(may), { heading: 'May be resolved', limit: 40_000 })]),
  ];
}

export type AuthoredKey = keyof typeof documents;

type AuthorInput = {
  key: AuthoredKey;
  files: ArtifactFiles;
  prd: PrdResolution;
  /** What the feature is about, in the words of the person who asked. */
  description?: string;
  /** Findings of research before the design. */
  research?: string;
  /** The project's design context, already packed under its budget. */
  brief?: string;
};

type RevisionInput = AuthorInput & { issues: ReviewedIssues; iteration: number; max: number };

/** The prompt that writes an artifact. Earlier documents go by reference, the answer is the whole file. */
export function authorPrompt(input: AuthorInput): PromptDraft {
  const row = documents[input.key];
  return {
    task: row.task,
    fixed: fixedParts(input),
    answer: wholeDocument(input.key),
    changing: subjectParts(input),
  };
}

/** T-121: the prompt that revises an artifact after a review; what nobody questioned stays. */
export function revisionPrompt(input: RevisionInput): PromptDraft {
  const row = documents[input.key];
  return {
    task: `${row.task}-revision`,
    fixed: [
      words(
        'revise',
        `Revise ${artifacts[input.key].file} after a review. Resolve every issue that must be resolved; leave what nobody questioned as it is, word for word.`,
      ),
      ...fixedParts(input, input.key),
    ],
    answer: wholeDocument(input.key),
    changing: [
      ...subjectParts(input),
      ...issueParts(input.issues),
      words('iteration', `This is revision ${input.iteration} of at most ${input.max}.`),
    ],
  };
}

function fixedParts({ key, files, prd }: AuthorInput, target?: AuthoredKey): Part[] {
  const row = documents[key];
  const sections = row.sections.map(([heading, content]) => `- \`${heading}\`: ${content}`).join('\n');
  return [
    words('role', row.rubric),
    ...requiredArtifactsPart({ keys: row.reads, files, prd, reads: 'work' }),
    ...(target === undefined ? [] : [targetPart(target, { files, reads: 'work' })]),
    words('sections', `${sections}${row.form === undefined ? '' : `\n\n${row.form}`}`, 'Document'),
  ];
}

function subjectParts({ description, research, brief }: AuthorInput): Part[] {
  return [
    ...optionalData('project_brief', brief, { heading: 'Project brief' }),
    ...request('feature', description, { heading: 'Feature' }),
    ...optionalData('research', research, { heading: 'Research', limit: 40_000 }),
  ];
}

function wholeDocument(key: AuthoredKey) {
  return {
    kind: 'text' as const,
    rules: `After the confirmation line, the whole of ${artifacts[key].file} in Markdown between a line \`<document>\` and a line \`</document>\`, and nothing else.`,
  };
}
