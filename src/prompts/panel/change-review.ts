import type { JsonSchema } from '../../agents/port.ts';
import { data, optionalData, type Part, type PromptDraft, words } from '../part.ts';
import { bullets, effortPart, readOnlyPart } from './common.ts';
import { focusAreas } from './plan.ts';
import { type StanceChoice, stancePart } from './sketch.ts';

/** What is reviewed: a change of code, or a document. */
export type ReviewMaterial = {
  kind: 'change' | 'document';
  /** What it is called, and what its author said about it: words by others. */
  about: string;
  /** The patch, or the text of the document with its name. */
  text: string;
  /** `2 of 3` where a large change is reviewed in parts. */
  part?: string;
};

export type ChangeReviewInput = StanceChoice & {
  material: ReviewMaterial;
  brief?: string | undefined;
  schema: JsonSchema;
  maximumEffort?: boolean;
};

const scopes = {
  change: [
    'You review a change of this repository. You report defects; you edit nothing. The files are checked out as they are after the change:',
    'open them, their callers and their tests before you object.',
    'Report what the change brings in or makes worse. Leave out what a linter finds, code that the change does not touch, what the author',
    'marks as still to do or out of scope, the style of the code around it, and praise.',
  ],
  document: [
    'You review a document of this repository, a plan or another text. You report defects; you edit nothing.',
    'Ask of it: can it be built or followed as written, does it contradict itself or the code, which requirement has no way to see that it',
    'is met? Open the files it names. Leave out wording, layout and praise. `path` is the document, `quote` a passage of it.',
  ],
} as const;

const severities = {
  blocking: 'must not go out: wrong results, lost data, a hole in security, a break for users;',
  major: 'wrong in a case that will happen;',
  minor: 'wrong in a rare case, or costly to keep up;',
  nit: 'a matter of taste. Usually not worth a finding.',
};

/** R-003, R-008: one reviewer's findings, before anybody has seen another's. */
export function changeReviewPrompt(input: ChangeReviewInput): PromptDraft {
  const { material, brief, schema, maximumEffort } = input;
  return {
    task: 'change-review',
    fixed: [
      words('role', 'You are one of several reviewers. Nobody sees what the others report.'),
      ...stancePart(input, 'change'),
      words('scope', scopes[material.kind].join('\n')),
      words(
        'severity',
        `Severities:\n${bullets(Object.entries(severities).map(([name, about]) => `${name}: ${about}`))}`,
      ),
      words(
        'findings',
        [
          `Categories:\n${bullets(Object.entries(focusAreas).map(([area, about]) => `${area}: ${about}`))}`,
          'Each finding is one defect: the claim (what is wrong) and its consequence (what happens, when, to whom).',
          'Quote the lines in question exactly, without the marks of the diff; the program looks the quote up, and a finding without it',
          'counts little. Lines of the old version that were deleted are on the side `old`.',
          'A suggestion replaces exactly the quoted lines; give one only when it is complete.',
          'Nothing to report is a good answer: return an empty list, never filler.',
        ].join('\n'),
      ),
      readOnlyPart,
      ...effortPart(maximumEffort),
    ],
    answer: { kind: 'json', schema },
    changing: [
      ...optionalData('project_brief', brief, { heading: 'Project brief' }),
      ...materialParts(material),
    ],
  };
}

export type ChangeVoteInput = Pick<ChangeReviewInput, 'material' | 'schema' | 'maximumEffort'> & {
  /** Findings under neutral ids, without their reviewers. */
  ballot: string;
  /** `earlier`: findings of an earlier review whose lines are gone. */
  about?: 'new' | 'earlier';
};

const votes = {
  new: [
    'YES: the defect is there and somebody will meet it;',
    'NO: wrong, trivial, a duplicate, a matter of taste, or not caused by what is reviewed.',
  ],
  earlier: ['YES: the change removed the defect;', 'NO: the defect is still there in another form.'],
} as const;

/** R-007: one vote per finding. */
export function changeVotePrompt(input: ChangeVoteInput): PromptDraft {
  const { material, ballot, about = 'new', schema, maximumEffort } = input;
  return {
    task: 'change-vote',
    fixed: [
      words('role', 'You vote on findings of a review. You decide which of them its author must see.'),
      words(
        about === 'new' ? 'rules' : 'rules-earlier',
        [
          bullets(votes[about]),
          'Open the cited lines before you vote. Vote on the problem; a remedy you dislike is no reason for NO. In doubt say NO.',
          'Vote exactly once on every item, with one short reason.',
        ].join('\n'),
      ),
      readOnlyPart,
      ...effortPart(maximumEffort),
    ],
    answer: { kind: 'json', schema },
    changing: [...materialParts(material), data('ballot', ballot, { heading: 'Ballot' })],
  };
}

const mostCharacters = 240_000;

function materialParts({ kind, about, text, part }: ReviewMaterial): Part[] {
  const heading = kind === 'change' ? 'The change' : 'The document';
  return [
    data('about', about, { heading: 'What it is about, in the words of its author', limit: 20_000 }),
    data(kind, text, {
      heading: part === undefined ? heading : `${heading}, part ${part}`,
      limit: mostCharacters,
    }),
  ];
}
