import { isRecord } from '../../base/safe-json.ts';
import { at, type Draft, type Rule } from '../lint/rule.ts';
import type { SkillDocument, SkillPackage } from '../model/package.ts';

/** Fields of the Agent Skills specification, then those that single hosts add. */
export const specificationFields = [
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
] as const;
export const hostFields = [
  'argument-hint',
  'arguments',
  'disable-model-invocation',
  'user-invocable',
  'model',
  'effort',
  'context',
  'agent',
  'hooks',
  'paths',
  'shell',
  'when_to_use',
  'version',
] as const;

/** Budgets in tokens, estimated as characters / 4: body and phase at most 5,000, what is active at once 25,000. */
export const tokenBudgets = { body: 5_000, phase: 5_000, active: 25_000 } as const;

/** Tokens of a text as an estimate; wide characters count one each. */
export function roughTokens(text: string): number {
  if (!/[\u2e80-\ud7ff\uf900-\uffef]/.test(text)) return Math.ceil(text.length / 4);
  let wide = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x2e7f) wide += 1;
  return Math.ceil((text.length - wide) / 4 + wide);
}

function field(
  { skill }: SkillPackage,
  key: string,
  look: (value: unknown, skill: SkillDocument) => string | undefined,
): Draft[] {
  const found = skill?.frontmatter.fields.get(key);
  if (skill === undefined || found === undefined) return [];
  const message = look(found.value, skill);
  return message === undefined ? [] : [at(skill.document, found.line, message)];
}

export const specificationRules: readonly Rule[] = [
  {
    id: 'SP001',
    severity: 'info',
    summary: 'Frontmatter has only fields that the specification or a known host defines.',
    why: 'Unknown fields are ignored, so what they say does not happen.',
    hint: 'Move it under metadata.',
    bad: 'tags: [a, b]',
    check: ({ skill }) => {
      if (skill === undefined) return [];
      const known = new Set<string>([...specificationFields, ...hostFields, 'examples', 'group']);
      return [...skill.frontmatter.fields.values()]
        .filter(({ key }) => !known.has(key))
        .map(({ key, line }) => at(skill.document, line, `${key} is not a field of a skill.`));
    },
  },
  {
    id: 'SP002',
    severity: 'warning',
    summary: 'compatibility is a text of 1 to 500 characters.',
    why: 'The specification bounds it.',
    hint: 'Shorten it to what the environment must have.',
    bad: 'compatibility: (a page of text)',
    check: (subject) =>
      field(subject, 'compatibility', (value) => {
        if (typeof value !== 'string') return 'compatibility is not a text.';
        return value.length > 500 ? `compatibility has ${value.length} characters.` : undefined;
      }),
  },
  {
    id: 'SP003',
    severity: 'warning',
    in: { single: 'info' },
    summary: 'metadata maps names to texts.',
    why: 'The specification defines it so; other values are dropped by strict readers.',
    hint: 'Quote the values.',
    bad: 'metadata: [a, b]',
    check: (subject) =>
      field(subject, 'metadata', (value) => {
        if (!isRecord(value)) return 'metadata is not a mapping.';
        const wrong = Object.keys(value).filter((key) => typeof value[key] !== 'string');
        return wrong.length === 0
          ? undefined
          : `metadata has values that are no text: ${wrong.slice(0, 5).join(', ')}.`;
      }),
  },
  {
    id: 'SZ001',
    severity: 'warning',
    summary: 'The body of SKILL.md has at most 5,000 tokens.',
    why: 'The body stays in context for the whole run.',
    hint: 'Move detail into files that are read when needed.',
    bad: 'a body of 9,000 tokens',
    check: ({ skill }) => {
      if (skill === undefined || skill.document.text.length < tokenBudgets.body) return [];
      const tokens = roughTokens(skill.document.text.slice(skill.document.bodyStart));
      return tokens > tokenBudgets.body
        ? [at(skill.document, 0, `The body has about ${tokens} tokens.`)]
        : [];
    },
  },
  {
    id: 'SZ002',
    severity: 'warning',
    summary: 'A phase has at most 5,000 tokens.',
    why: 'Hosts re-attach about that much of a file after compaction; the rest is lost.',
    hint: 'Split the phase or move reference text out.',
    bad: 'a phase of 8,000 tokens',
    check: ({ phases }) =>
      phases.flatMap(({ document }): Draft[] => {
        if (document.text.length < tokenBudgets.phase) return [];
        const tokens = roughTokens(document.text);
        return tokens > tokenBudgets.phase ? [at(document, 0, `The phase has about ${tokens} tokens.`)] : [];
      }),
  },
  {
    id: 'SZ003',
    severity: 'warning',
    in: { single: 'off' },
    summary: 'SKILL.md and all phases together have at most 25,000 tokens.',
    why: 'By the last phase of a long run all of them have been read; more than this is cut after compaction.',
    hint: 'Shorten phases, or let agents do the reading.',
    bad: 'seven phases of 5,000 tokens',
    check: ({ skill, documents }) => {
      if (skill === undefined) return [];
      const length = documents.reduce((sum, { text }) => sum + text.length, 0);
      if (length < tokenBudgets.active) return [];
      const tokens = documents.reduce((sum, { text }) => sum + roughTokens(text), 0);
      return tokens > tokenBudgets.active
        ? [at(skill.document, 0, `The package has about ${tokens} tokens.`)]
        : [];
    },
  },
  {
    id: 'IO001',
    severity: 'error',
    summary: 'Every file of the package can be read.',
    why: 'What cannot be read cannot be checked, nor run.',
    hint: 'Correct the permission, the link, the size or the encoding.',
    bad: 'a SKILL.md without read permission',
    check: ({ files }) =>
      files.unreadable.map(({ path, message }) => ({
        file: path,
        line: 0,
        message: `The file cannot be read as it is: ${message}.`,
      })),
  },
];
