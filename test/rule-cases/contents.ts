import {
  append,
  converted,
  first,
  fourth,
  js,
  longText,
  type Mutation,
  plan,
  replace,
  second,
  skill,
  third,
} from './mutations.ts';

/** Preferences, todo lists, conversions, plans, specification, sizes, suppressions. */
export const contentCases: Record<string, Mutation | Mutation[]> = {
  PR001: { what: 'one path', change: replace(skill, ', depth: answers.depth }', ' }') },
  PR002: {
    what: 'unread',
    change: replace(skill, /depth: "Quick" \}\n/, 'depth: "Quick", forceExplore: false }\n'),
  },
  PR003: [
    { what: 'boundary', change: append(skill, js('const y = /\\b(-y|--yes)\\b/.test(args)')) },
    { what: 'substring', change: append(skill, js("const y = $ARGUMENTS.includes('-y')")) },
  ],
  PR004: [
    { what: 'header', change: replace(skill, 'header: "Depth"', 'header: "Convergence Review"') },
    { what: 'options', change: replace(skill, /,\n\s*\{ label: "Thorough".*\}/, '') },
  ],
  PR005: { what: 'label', change: replace(skill, 'answers.autoYes === "Auto"', 'answers.autoYes === "Yes"') },
  PR006: {
    what: 'asks',
    change: replace(skill, 'if (autoYes) {\n', 'if (autoYes) {\n  AskUserQuestion({ questions: [] })\n'),
  },
  TD001: { what: 'batches', change: append(second, js('TodoWrite({todos: batches})')) },
  TD002: {
    what: 'status',
    change: append(
      second,
      js('TodoWrite({todos: [{ content: "Phase 1: x", status: "pending" }, {status: "…"}]})'),
    ),
  },
  TD003: {
    what: 'two active',
    change: replace(skill, /("Phase 2: Context Gather","status":)"pending"/, '$1"in_progress"'),
  },
  TD004: { what: 'comma', change: append(first, '```json\n["a",]\n```') },
  CF001: { what: 'short', change: () => {}, surroundings: converted('line\n'.repeat(400)) },
  CF006: { what: 'sources out of reach', change: () => {}, surroundings: converted(undefined) },
  CF002: { what: 'shorter', change: () => {}, surroundings: converted('line\n'.repeat(45)) },
  CF003: { what: 'lost call', change: () => {}, surroundings: converted('Task({a})\nTask({b})\n') },
  CF004: { what: 'lost block', change: () => {}, surroundings: converted('```bash\nnpm run nothing\n```\n') },
  CF005: [
    { what: 'reworded', change: () => {}, surroundings: converted('A sentence that is nowhere.\n') },
    {
      what: 'strange edit',
      change: () => {},
      surroundings: converted('', [{ kind: 'polished', before: 'a', after: 'b' }]),
    },
  ],
  PL001: { what: 'count', change: plan([{ id: 'T1', implementation: ['a', 'b'] }], { task_count: 3 }) },
  PL002: { what: 'embedded', change: plan([{ id: 'T1' }], { tasks: [] }) },
  PL003: {
    what: 'cycle',
    change: plan([
      { id: 'T1', depends_on: ['T2'] },
      { id: 'T2', depends_on: ['T1'] },
    ]),
  },
  PL004: {
    what: 'vague',
    change: plan([{ id: 'T1', convergence: { criteria: ['Service works correctly'] } }]),
  },
  PL005: { what: 'one step', change: plan([{ id: 'T1', implementation: ['do it'] }]) },
  PL006: {
    what: 'same file',
    change: plan([
      { id: 'T1', files: [{ path: 'src/a.ts' }] },
      { id: 'T2', files: [{ path: 'src/a.ts' }] },
    ]),
  },
  PL007: { what: 'old name', change: plan([{ id: 'T1', acceptance: ['x'] }]) },
  SP001: { what: 'tags', change: replace(skill, '\nallowed-tools', '\ntags: a\nallowed-tools') },
  SP002: {
    what: 'long',
    change: replace(skill, '\nallowed-tools', `\ncompatibility: ${'word '.repeat(120)}end\nallowed-tools`),
  },
  SP003: { what: 'list', change: replace(skill, '\nallowed-tools', '\nmetadata: [a]\nallowed-tools') },
  SZ001: { what: 'body', change: append(skill, longText(1200)) },
  SZ002: { what: 'phase', change: append(first, longText(1200)) },
  SZ003: {
    what: 'sum',
    change: (texts) => {
      for (const file of [first, second, third, fourth]) append(file, longText(1500))(texts);
    },
  },
  SU001: { what: 'no reason', change: append(first, '<!-- lint-disable ST010 -->') },
  SU002: { what: 'no such rule', change: append(first, '<!-- lint-disable ST999 because -->') },
  SU003: { what: 'no effect', change: append(first, '<!-- lint-disable ST010 nothing here -->') },
};
