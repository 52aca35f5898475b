import type { JsonSchema } from '../../../agents/port.ts';
import { CharretteError } from '../../../base/errors.ts';
import type { Evaluation } from '../../../base/schema/judgements/refine.ts';
import { readOnlyPart } from '../../../prompts/panel/common.ts';
import { data, optionalData, type Part, type PromptDraft, request, words } from '../../../prompts/part.ts';
import type { Criterion, ProposedCriterion } from './contract.ts';
import { anchors, type Profile } from './profiles.ts';

export type BuilderInput = {
  /** Design documents as one block; empty when an imported design is built. */
  block: string;
  brief: string;
  /** Where the builder writes: the page, below its checkout. */
  artifact: string;
  criteria: readonly Criterion[];
  priority: string;
  /** What was measured wrong, what the last evaluation advises, what a person wants changed. */
  problems: readonly string[];
  advice: readonly string[];
  requests: readonly string[];
  brandNotes: readonly string[];
  imported: string | undefined;
  schema: JsonSchema;
};

/** The builder's turn: block first, then the task. It sees everything that is known. */
export function builderPrompt(input: BuilderInput): PromptDraft {
  return {
    task: 'build',
    fixed: [
      words(
        'role',
        'You build one web page in this checkout. It is yours alone; you see the criteria it is held to.',
      ),
      words(
        'content',
        [
          'Change what is needed until every criterion holds, those that do not hold yet first. Keep what has passed.',
          'The page is opened in a browser as files: everything it needs is in this checkout, nothing is loaded from elsewhere.',
          'It is measured at 375 px and 1280 px: width, contrast, alt texts, interactive elements, spacing on a 4 px grid.',
          'Use the contracted copy word for word and the colours and typefaces of the brand.',
          'Do not commit, do not switch branches, do not touch files outside this directory.',
        ].join('\n'),
      ),
    ],
    answer: { kind: 'json', schema: input.schema },
    changing: [
      ...optionalData('project_brief', input.block, { heading: 'Design documents' }),
      ...request('brief', input.brief, { heading: 'Brief', limit: 60_000 }),
      words('artifact', `The page: ${input.artifact}`, 'Artifact'),
      ...optionalData('imported_design', input.imported, { heading: 'Imported design', limit: 60_000 }),
      ...listPart('brand_conflicts', 'Where the brand holds', input.brandNotes),
      data('criteria', criteriaText(input.criteria), {
        heading: 'Criteria',
        text: `Work on ${input.priority} first.`,
      }),
      ...listPart('measured', 'Measured problems', input.problems),
      ...listPart('advice', 'Advice of the last evaluation', input.advice),
      ...request('requests', input.requests.map((line) => `- ${line}`).join('\n'), {
        heading: 'What the user wants',
        limit: 20_000,
      }),
    ],
  };
}

export type EvaluatorInput = {
  profile: Profile;
  /** Path of the brief; agents read the file, prompts never contain it. */
  briefPath: string;
  /** Paths of the design documents and what the builder was shown of each. */
  documents: string;
  artifactPath: string;
  criteria: readonly Criterion[];
  schema: JsonSchema;
};

/** The evaluator's turn: brief, contract states and artifact path. Nothing tells which round it is or what others said. */
export function evaluatorPrompt(input: EvaluatorInput): PromptDraft {
  const quoted = input.criteria.filter((criterion) => criterion.quoted);
  const own = input.criteria.filter((criterion) => !criterion.quoted);
  return {
    task: 'evaluate',
    fixed: [
      words(
        'role',
        'You judge a web page against a contract. You have not seen it before, and you built none of it.',
      ),
      words(
        'content',
        [
          'Read the brief, then the files of the page. Judge every criterion of the contract and nothing else.',
          'For each criterion inspect one or more things; give each a number, the anchor it lies at, and what shows it.',
          'Without something that shows it the number is at most 0.25. Be as strict with what passed as with what is new.',
          'Ask for nothing that the builder was not shown.',
        ].join('\n'),
      ),
      words('anchors', anchorText(input.profile), 'Anchors'),
      readOnlyPart,
    ],
    answer: { kind: 'json', schema: input.schema },
    changing: [
      words('brief', `Read it at ${input.briefPath}`, 'Brief'),
      ...optionalData('documents', input.documents, { heading: 'Design documents' }),
      words('artifact', input.artifactPath, 'Artifact'),
      data('contract', criteriaText(own), { heading: 'Contract' }),
      ...optionalData('brief_criteria', criteriaText(quoted), { heading: 'Criteria from the documents' }),
    ],
  };
}

/** The builder offers criteria beyond the fixed ones. */
export function offerPrompt(input: {
  profile: Profile;
  block: string;
  brief: string;
  standing: readonly Criterion[];
  amended: readonly ProposedCriterion[];
  schema: JsonSchema;
}): PromptDraft {
  return {
    task: 'contract-offer',
    fixed: [
      words('role', 'You will build a web page. First you say by which criteria it should be judged.'),
      words(
        'content',
        'Add three to twelve criteria to the existing ones. A reader must be able to answer each with yes or no; give each its check.',
      ),
      words('anchors', anchorText(input.profile), 'Dimensions'),
      readOnlyPart,
    ],
    answer: { kind: 'json', schema: input.schema },
    changing: [
      ...optionalData('project_brief', input.block, { heading: 'Design documents' }),
      ...request('brief', input.brief, { heading: 'Brief', limit: 60_000 }),
      data('standing', criteriaText(input.standing), { heading: 'Existing criteria' }),
      ...optionalData('amended', offerText(input.amended), { heading: 'Your offer as it was amended' }),
    ],
  };
}

/** The evaluator agrees, or gives the list as it should be. */
export function offerReviewPrompt(input: {
  profile: Profile;
  briefPath: string;
  standing: readonly Criterion[];
  offer: readonly ProposedCriterion[];
  schema: JsonSchema;
}): PromptDraft {
  return {
    task: 'contract-review',
    fixed: [
      words(
        'role',
        'You will judge a web page. Its builder offers criteria; you say whether they are the right ones.',
      ),
      words(
        'content',
        'Agree when they can be checked and cover the brief. Otherwise give the whole list as it should be: sharpen what is vague, add what is missing, drop what cannot be checked.',
      ),
      words('anchors', anchorText(input.profile), 'Dimensions'),
      readOnlyPart,
    ],
    answer: { kind: 'json', schema: input.schema },
    changing: [
      words('brief', `Read it at ${input.briefPath}`, 'Brief'),
      data('standing', criteriaText(input.standing), { heading: 'Existing criteria' }),
      data('offer', offerText(input.offer), { heading: 'Offer' }),
    ],
  };
}

function criteriaText(criteria: readonly Criterion[]): string {
  return criteria
    .map(
      ({ id, state, dimension, criterion, verification }) =>
        `${id} [${state}] (${dimension}) ${criterion} — check: ${verification}`,
    )
    .join('\n');
}

function offerText(criteria: readonly ProposedCriterion[]): string {
  return criteria
    .map(({ dimension, criterion, verification }) => `(${dimension}) ${criterion} — check: ${verification}`)
    .join('\n');
}

function anchorText({ dimensions }: Profile): string {
  return dimensions
    .map(({ id, title, about, anchors: texts }) =>
      [`${id} (${title}): ${about}`, ...anchors.map((anchor) => `  ${anchor} ${texts[anchor]}`)].join('\n'),
    )
    .join('\n');
}

function listPart(tag: string, heading: string, lines: readonly string[]): Part[] {
  return optionalData(tag, lines.map((line) => `- ${line}`).join('\n'), { heading, limit: 20_000 });
}

/** A number lies at an anchor when no other anchor is nearer; halfway both will do. */
const anchorReach = 0.125;

/** What is wrong with an evaluation that its schema cannot say. */
export function evaluationProblems({ criteria }: Evaluation, contracted: readonly string[]): string[] {
  const judged = criteria.map(({ id }) => id);
  const wrong = contracted.filter((id) => judged.filter((other) => other === id).length !== 1);
  const unknown = judged.filter((id) => !contracted.includes(id));
  const misplaced = criteria.flatMap(({ id, checks }) =>
    checks
      .filter(({ score, anchor }) => Math.abs(Math.max(score, 0.25) - Number(anchor)) > anchorReach + 1e-9)
      .map(({ score, anchor }) => `${id}: the score ${score} does not lie at the anchor ${anchor}`),
  );
  return [
    ...(wrong.length === 0 ? [] : [`each of ${wrong.join(', ')} must be judged exactly once`]),
    ...(unknown.length === 0 ? [] : [`${unknown.join(', ')} are not in the contract`]),
    ...misplaced.slice(0, 10),
  ];
}

/** Problems of offered criteria. */
export function offerProblems(
  criteria: readonly { criterion: string; dimension: string; verification: string }[],
  dimensions: readonly string[],
): string[] {
  return criteria.flatMap(({ criterion, dimension, verification }, index) => [
    ...(dimensions.includes(dimension)
      ? []
      : [`criteria ${index}: unknown dimension ${dimension}; available: ${dimensions.join(', ')}`]),
    ...findLeaks(`${criterion}\n${verification}`).map(
      (trace) => `criteria ${index}: must not contain "${trace}"`,
    ),
  ]);
}

/** Traces of an earlier round that a fresh evaluator must not see. */
const traces: readonly { name: string; pattern: RegExp }[] = [
  { name: 'Score:', pattern: /\bscore\s*:/i },
  { name: 'Feedback:', pattern: /\bfeedback\s*:/i },
  { name: 'Verdict:', pattern: /\bverdict\s*:/i },
  { name: 'Iteration <number>', pattern: /\biteration\s+\d+/i },
  { name: 'previous evaluator', pattern: /\b(?:previous|prior)\s+evaluators?\b/i },
];

/** Tags of blocks that quote documents of the project; their words are the author's, not an evaluator's. */
const quotedTags: readonly string[] = ['brief', 'brief_criteria', 'documents'];

/** Traces in a prompt outside of the documents it quotes. */
export function findLeaks(prompt: string): string[] {
  const own = withoutQuotes(prompt);
  return traces.filter(({ pattern }) => pattern.test(own)).map(({ name }) => name);
}

/** Blocks are recognised by their nonce: text inside cannot close one. */
function withoutQuotes(prompt: string): string {
  return prompt.replace(
    new RegExp(`<(${quotedTags.join('|')}) nonce="([a-z0-9]+)">\\n[\\s\\S]*?</\\1 nonce="\\2">`, 'gi'),
    '',
  );
}

/** Stops before an evaluator is asked who would not be fresh. */
export function refuseLeaks(prompt: string): void {
  const found = findLeaks(prompt);
  if (found.length === 0) return;
  throw new CharretteError({
    code: 'evaluator-leak',
    message: `The prompt of an evaluator carries traces of an earlier round: ${found.join(', ')}.`,
    fix: 'Reword the criteria or the prompt parts of the project that contain them.',
  });
}
