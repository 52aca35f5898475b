import { type Document, lineAt, zoneAt } from '../../base/markdown/document.ts';
import { isTeaching } from '../lint/occurrences.ts';
import { at, type Draft, type Rule } from '../lint/rule.ts';
import { type Call, findCalls } from '../model/calls.ts';
import { fieldText } from '../model/frontmatter.ts';
import { bareTool, isDeclared, maxDescription } from '../model/identity.ts';
import type { SkillPackage } from '../model/package.ts';
import { calledSkill } from './hygiene.ts';

/** S-005 and the Agent Skills specification. */
export const skillName = /^(?!-)(?!.*--)[a-z0-9-]{1,64}(?<!-)$/;

export const commandKeys: readonly string[] = ['argument-hint', 'examples', 'group'];
/** Findings about SKILL.md, when there is one. */
function inSkill(
  { skill }: SkillPackage,
  make: (skill: NonNullable<SkillPackage['skill']>) => Draft[],
): Draft[] {
  return skill === undefined ? [] : make(skill);
}

export const frontmatterRules: readonly Rule[] = [
  {
    id: 'FM001',
    severity: 'error',
    summary: 'SKILL.md begins with frontmatter that is closed and parses.',
    why: 'A host that cannot read the frontmatter does not load the skill at all.',
    hint: 'Begin the file with --- and end the block with --- on a line of its own.',
    bad: '--- opened and never closed',
    check: (subject) =>
      inSkill(subject, ({ document, frontmatter }) => {
        if (frontmatter.state === 'absent') return [at(document, 0, 'There is no frontmatter.')];
        if (frontmatter.state === 'unclosed')
          return [at(document, 0, 'The frontmatter is opened but never closed.')];
        // FM010 explains a value that only lacks quotes, and fixes it.
        if (frontmatter.problem === undefined || frontmatter.unquoted.length > 0) return [];
        return [
          at(
            document,
            frontmatter.problem.line,
            `The frontmatter is not valid YAML: ${frontmatter.problem.message}.`,
          ),
        ];
      }),
  },
  {
    id: 'FM002',
    severity: 'error',
    summary: 'The name exists, kebab-case, at most 64 characters.',
    why: 'Hosts find and call a skill by this name; other characters are refused or mangled.',
    hint: 'Use lower-case letters, digits and single hyphens.',
    bad: 'name: Workflow_Plan',
    check: (subject) =>
      inSkill(subject, ({ document, frontmatter }) => {
        if (frontmatter.state === 'absent') return [];
        const name = fieldText(frontmatter, 'name')?.trim() ?? '';
        if (name === '') return [at(document, 0, 'The frontmatter has no name.')];
        if (skillName.test(name)) return [];
        const line = frontmatter.fields.get('name')?.line ?? 0;
        return [at(document, line, `The name ${JSON.stringify(name.slice(0, 80))} is not a skill name.`)];
      }),
  },
  {
    id: 'FM003',
    severity: 'error',
    summary: 'The name equals the directory.',
    why: 'The specification asks for it, and hosts that look by directory otherwise show two names for one skill.',
    hint: 'Rename the directory or the name so that they agree.',
    bad: 'directory workflow-tdd-plan/, name: workflow-tdd-plan-plan',
    check: (subject) =>
      inSkill(subject, ({ document, frontmatter }) => {
        const name = subject.name.trim();
        if (name === '' || !skillName.test(name) || name === subject.files.directory) return [];
        const line = frontmatter.fields.get('name')?.line ?? 0;
        return [at(document, line, `The name is ${name}, the directory ${subject.files.directory}.`)];
      }),
  },
  {
    id: 'FM004',
    severity: 'error',
    summary: 'The description exists, at most 1024 characters.',
    why: 'The description is all a host reads before it decides to load the skill; more is cut off or refused.',
    hint: 'Say what the skill does and when to use it, within 1024 characters.',
    bad: 'description:',
    check: (subject) =>
      inSkill(subject, ({ document, frontmatter }) => {
        if (frontmatter.state === 'absent') return [];
        const line = frontmatter.fields.get('description')?.line ?? 0;
        const length = [...subject.description.trim()].length;
        if (length === 0) return [at(document, line, 'The frontmatter has no description.')];
        return length > maxDescription
          ? [at(document, line, `The description has ${length} characters.`)]
          : [];
      }),
  },
  {
    id: 'FM005',
    severity: 'warning',
    in: { single: 'info' },
    fixable: true,
    unsafe: true,
    summary: 'The description has a trigger clause with at least one quoted phrase.',
    why: 'Quoted phrases are what people type; without them the skill is found by luck.',
    hint: 'End the description with: Triggers on "phrase", "phrase".',
    bad: 'description: Plans work.',
    check: (subject) =>
      inSkill(subject, ({ document, frontmatter }) => {
        const { description, triggers } = subject;
        if (description.trim() === '' || triggers.length > 0) return [];
        if (
          subject.profile === 'single' &&
          /\b(?:when|whenever|if|before|after|for)\b|当|时/i.test(description)
        )
          return [];
        return [
          at(
            document,
            frontmatter.fields.get('description')?.line ?? 0,
            'The description quotes no trigger.',
          ),
        ];
      }),
  },
  {
    id: 'FM006',
    severity: 'error',
    in: { single: 'off' },
    summary: 'A coordinator declares allowed-tools.',
    why: 'A workflow that meets an unlisted tool in phase four stops there and asks.',
    hint: 'List the tools of all phases, for example: Task, AskUserQuestion, TodoWrite, Read, Write, Edit, Bash, Glob, Grep.',
    bad: 'frontmatter with only name and description',
    check: (subject) =>
      inSkill(subject, ({ document, frontmatter }) =>
        frontmatter.state === 'absent' || subject.tools.length > 0
          ? []
          : [
              at(
                document,
                frontmatter.fields.get('allowed-tools')?.line ?? 0,
                'No allowed-tools are declared.',
              ),
            ],
      ),
  },
  {
    id: 'FM007',
    severity: 'warning',
    fixable: true,
    summary: 'allowed-tools has no (*) wildcards and no duplicates.',
    why: 'Name(*) is command notation; in a skill it is either ignored or matches nothing.',
    hint: 'Write the bare name once.',
    bad: 'allowed-tools: Read(*), Write(*), Read',
    check: (subject) =>
      inSkill(subject, ({ document, frontmatter }) => {
        const wild = subject.tools.filter((tool) => tool.endsWith('(*)'));
        const seen = new Set<string>();
        const twice = subject.tools.filter((tool) => {
          const known = seen.has(tool.replace(/\(\*\)$/, ''));
          seen.add(tool.replace(/\(\*\)$/, ''));
          return known;
        });
        const what = [
          ...(wild.length > 0 ? [`wildcards ${wild.slice(0, 5).join(', ')}`] : []),
          ...(twice.length > 0 ? [`duplicates ${twice.slice(0, 5).join(', ')}`] : []),
        ];
        const line = frontmatter.fields.get('allowed-tools')?.line ?? 0;
        return what.length === 0 ? [] : [at(document, line, `allowed-tools has ${what.join(' and ')}.`)];
      }),
  },
  {
    id: 'FM008',
    severity: 'warning',
    fence: 'fences',
    summary: 'Tools that the package calls are declared.',
    why: 'An undeclared tool interrupts the run with a permission question. Task counts as Agent, TodoWrite as TaskCreate.',
    hint: 'Add the tool to allowed-tools.',
    bad: 'a phase calls Skill("x"), allowed-tools lacks Skill',
    check: (subject) => {
      if (subject.tools.length === 0) return [];
      const declared = new Set(subject.tools.map(bareTool));
      const own = new Set(subject.ownNames);
      const used = new Map<string, Draft>();
      for (const document of subject.documents) {
        for (const tool of callableTools) {
          if (used.has(tool) || isDeclared(tool, declared) || !document.text.includes(`${tool}(`)) continue;
          const line = findCalls(document.text, [tool])
            .filter(({ start, body }) => zoneAt(document, start) === 'fence' && !startsOwn(tool, body, own))
            .filter((call) => !isNamed(document, call))
            .map(({ start }) => lineAt(document, start))
            .find((called) => !isTeaching(document, called));
          if (line !== undefined)
            used.set(tool, at(document, line, `${tool} is called but not in allowed-tools.`));
        }
      }
      return [...used.values()];
    },
  },
  {
    id: 'FM009',
    severity: 'warning',
    in: { single: 'info' },
    fixable: true,
    unsafe: true,
    summary: 'No keys that only commands know.',
    why: 'argument-hint, examples and group belong to commands; in a skill they are dead weight or rejected.',
    hint: 'Move the hint and the examples into an Input Processing section and drop the key.',
    bad: 'argument-hint: "[-y] task"',
    check: (subject) =>
      inSkill(subject, ({ document, frontmatter }) =>
        commandKeys.flatMap((key) => {
          const field = frontmatter.fields.get(key);
          return field === undefined ? [] : [at(document, field.line, `${key} is a key of commands.`)];
        }),
      ),
  },
  {
    id: 'FM010',
    severity: 'warning',
    fixable: true,
    summary: 'Values that YAML would misread are quoted.',
    why: 'A colon and blank, a blank and #, or a leading bracket changes or ends a plain value without a word.',
    hint: 'Put the value in quotes.',
    bad: 'description: Plan: build it',
    check: (subject) =>
      inSkill(subject, ({ document, frontmatter }) =>
        frontmatter.problem === undefined && !frontmatter.unquoted.some(({ raw }) => raw.includes(' #'))
          ? []
          : frontmatter.unquoted.map(({ key, line }) =>
              at(document, line, `The value of ${key} needs quotes.`),
            ),
      ),
  },
];

const callableTools = [
  'Task',
  'Agent',
  'Skill',
  'AskUserQuestion',
  'TodoWrite',
  'TaskCreate',
  'TaskUpdate',
  'Read',
  'Write',
  'Edit',
  'Bash',
  'Glob',
  'Grep',
  'WebFetch',
  'WebSearch',
  'SlashCommand',
] as const;

/** Shows how the skill itself is started, which its users do; a phase that does it is HY002. */
function startsOwn(tool: string, body: string, own: ReadonlySet<string>): boolean {
  if (tool !== 'Skill' && tool !== 'SlashCommand') return false;
  return own.has(calledSkill(body) ?? '') || /^\s*args\s*[=:]/.test(body);
}

/** A comment such as `// scan Skill() calls`, a string such as `'Skill('` and `Skill(skill=...)` only name the tool. */
function isNamed(document: Document, { start, body }: Call): boolean {
  const before = document.text.slice(document.lineStarts[lineAt(document, start)] ?? 0, start);
  if (/["'`]$/.test(before) || /^\s*\w+=(?:\.{3}|…)/.test(body)) return true;
  return body.trim() === '' && /\/\/|#/.test(before);
}
