import { type ArtifactFiles, type ArtifactKey, artifacts } from './artifacts.ts';
import type { PrdResolution } from './feature-files.ts';
import { data, optionalData, type Part, type PromptDraft, request, words } from './part.ts';
import { requiredArtifactsPart, targetPart } from './required-artifacts.ts';

type DocumentReading = { ok: true; text: string } | { ok: false; problem: string };

const open = '<document>';
const close = '</document>';
const fewestCharacters = 40;

/** The document in an author's answer: the text between the two lines, never the talk around it. */
export function readDocument(answer: string): DocumentReading {
  const lines = answer.replace(/\r\n/g, '\n').split('\n');
  const from = lines.findIndex((line) => line.trim() === open);
  const to = lines.findLastIndex((line) => line.trim() === close);
  if (from >= 0 && to > from) return checked(unfenced(lines.slice(from + 1, to)));
  if (from >= 0)
    return { ok: false, problem: `the document was not closed with ${close}; it may have been cut` };
  return { ok: false, problem: `the answer has no line ${open}` };
}

/** Some authors put the document into a fence between the lines. */
function unfenced(lines: readonly string[]): string {
  const text = lines.join('\n').trim();
  const match = /^(`{3,}|~{3,})(?:markdown|md)?\n([\s\S]*)\n\1$/i.exec(text);
  return match?.[2] ?? text;
}

function checked(text: string): DocumentReading {
  if (text.length < fewestCharacters) return { ok: false, problem: 'the document is empty' };
  return { ok: true, text: `${text}\n` };
}

/** What the author of a phase writes. The forms are those that validity checks and section references rely on. */
type DocumentRow = {
  task: string;
  rubric: string;
  /** Required headings, in order, each with what belongs under it. */
  sections: readonly (readonly [heading: string, content: string])[];
  /** How parts are numbered, so that later documents can point at them. */
  form?: string;
  /** What the author must read first. */
  reads: readonly ArtifactKey[];
};

export const documents: Readonly<Record<'spec' | 'design' | 'plan' | 'tasks', DocumentRow>> = {
  spec: {
    task: 'feature-spec',
    rubric:
      'Write the specification of a feature: what must be true afterwards, for whom, and how one would see it. No design. Where ' +
      'something is not known, state the assumption.',
    sections: [
      ['## Overview', 'the problem and the outcome, in a few sentences'],
      ['## Scope', 'what is in, what is out'],
      ['## Requirements', 'each with an id (R1.1, R1.2, …), testable, one fact each'],
      ['## Acceptance Criteria', 'observable checks (AC-1, AC-2, …), each naming the requirements it proves'],
      ['## Failure Behaviour', 'what happens on bad input, partial failure, concurrent use'],
    ],
    reads: ['prd'],
  },
  design: {
    task: 'feature-design',
    rubric:
      'Write the design of a feature. Explore the code first; follow its boundaries and reuse what it has. Choose the simplest structure that ' +
      'meets the specification, and say what you decided against.',
    sections: [
      ['## Architecture', 'how the parts fit together and into the code that exists, with path:line'],
      ['## Components', 'one heading each, with responsibility, dependencies and the requirements it serves'],
      ['## Interfaces', 'one heading each, with exact signatures, formats and errors'],
      ['## Technical Decisions', 'one heading each, with the alternative and the reason'],
      ['## Risks', 'likelihood, first sign, mitigation'],
    ],
    form: 'Head components `### C1: Name`, interfaces `### I1: Name`, decisions `### TD1: Name`, counted from 1.',
    reads: ['prd', 'spec'],
  },
  plan: {
    task: 'feature-plan',
    rubric:
      'Write the plan of a feature: ordered steps, each small, each leaving the code working, tests before the code they test.',
    sections: [
      ['## Implementation Order', 'why this order, and what depends on what'],
      [
        '## Phase 1: Name',
        'and further phases; under each its steps, with files, changes, tests and the parts of the design they build',
      ],
    ],
    form: 'Head steps `### Step 1.1: Name`, numbered by phase.',
    reads: ['prd', 'spec', 'design'],
  },
  tasks: {
    task: 'feature-tasks',
    rubric:
      'Break the plan into tasks of at most 15 minutes. Somebody must be able to carry each out without asking; together they cover the whole plan.',
    sections: [['## Phase 1: Name', 'the phases of the plan, under the same names; under each its tasks']],
    form: [
      'Each task has this form:',
      '### Task 1.1: Name',
      '- **Why:** Plan Step 1.1 / Design C1',
      '- **Files:** paths',
      '- **Do:** what to change, exactly',
      '- **Done when:** one check with a yes-or-no result',
      '- **Depends on:** task numbers or none',
    ].join('\n'),
    reads: ['spec', 'design', 'plan'],
  },
};

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

/** T-121: the prompt that revises an artifact after a review; unquestioned parts stay. */
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
