import { type Call, findCalls } from '../document/calls.ts';
import { type Document, lineAt, zoneAt } from '../document/document.ts';
import { isTeaching } from '../lint/occurrences.ts';
import { at, type Draft, type Rule } from '../lint/rule.ts';
import { bareTool, isDeclared } from '../model/identity.ts';
import { inSkill } from './frontmatter.ts';
import { calledSkill } from './hygiene.ts';

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

/** Tools that are declared against tools that are called. */
export const toolRules: readonly Rule[] = [
  {
    id: 'FM006',
    severity: 'error',
    in: { single: 'off' },
    fence: 'none',
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
    fence: 'none',
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
];
