import { allRules, type RuleText, ruleFamilies } from './rules/catalog.ts';

/** The nine patterns of an orchestrator with phases, and what checks them. */
export const patterns: readonly { id: string; title: string; text: string; rules: readonly string[] }[] = [
  {
    id: 'P1',
    title: 'Orchestrator and progressive loading',
    text: 'SKILL.md coordinates: diagram, flow, table of phases, data flow, rules, errors. Prompts, shell and code are in phase files, which are read only when their phase runs. Every phase has a Ref in the flow and a row in the table.',
    rules: ['ST008', 'RF001', 'RF002', 'RF003', 'RF004', 'RF007'],
  },
  {
    id: 'P2',
    title: 'Attach and collapse',
    text: 'When a phase with sub-tasks starts, they are attached under its todo item, the first in progress; when it ends they collapse into one completed item. A todo write replaces the whole list, so it always carries the phases.',
    rules: ['TD001', 'TD002', 'TD003'],
  },
  {
    id: 'P3',
    title: 'Data flow between phases',
    text: 'A phase takes its inputs from the user or from earlier phases, as variables, session files or a notes document. What flows is declared where it is produced.',
    rules: ['DF001', 'DF002', 'DF003', 'DF007'],
  },
  {
    id: 'P4',
    title: 'Conditional phases',
    text: 'The flow shows the condition, what runs when it holds and where a skip leads. Conditions use declared variables; levels have an order. Later phases can do without what a skipped phase would have made.',
    rules: ['DF004', 'DF005', 'DF006', 'DF008'],
  },
  {
    id: 'P5',
    title: 'Input structuring',
    text: 'Free text becomes GOAL, SCOPE and CONTEXT before the first phase, from a short sentence, a long description or a file.',
    rules: ['SC002'],
  },
  {
    id: 'P6',
    title: 'Preferences are collected once',
    text: 'SKILL.md reads flags and asks questions before it dispatches; phases see the result only as workflowPreferences.<key>, set on every path.',
    rules: ['HY001', 'PR001', 'PR002', 'PR003', 'PR004', 'PR005', 'PR006'],
  },
  {
    id: 'P7',
    title: 'Direct handoff',
    text: 'A phase that continues with another phase of the same package reads that file. Calling its own skill would start the router again. Other skills may be called.',
    rules: ['HY002', 'CP011', 'RF009', 'HO001'],
  },
  {
    id: 'P8',
    title: 'Clean phase files',
    text: 'No flag parsing, no usage examples, no conversion notes, no routing to itself, no flag definitions.',
    rules: ['HY001', 'HY002', 'HY003', 'HY004', 'HY005', 'HY006'],
  },
  {
    id: 'P9',
    title: 'Compact recovery',
    text: 'Two layers. The todo item in progress says which phase must be kept whole. If it was compacted after all, the sentinel at the head of the file says how many steps there should be and which file to read again; checkpoints ask before critical steps.',
    rules: [
      'CP001',
      'CP002',
      'CP003',
      'CP004',
      'CP005',
      'CP006',
      'CP007',
      'CP008',
      'CP009',
      'CP010',
      'CP012',
      'CP013',
    ],
  },
];

/** A rule for people. */
export function renderRule(rule: RuleText): string {
  const scope = Object.entries(rule.in ?? {})
    .map(([profile, severity]) => `${profile}: ${severity}`)
    .join(', ');
  return [
    `${rule.id} (${rule.severity}${rule.fixable === true ? ', fixable' : ''})`,
    `  ${rule.summary}`,
    '',
    `  Why: ${rule.why}`,
    `  Fix: ${rule.hint}`,
    `  Bad: ${rule.bad}`,
    ...(scope === '' ? [] : [`  By profile: ${scope}`]),
    `  Looks in: ${fenceText[rule.fence ?? 'structure']}`,
    `  Silence it with: <!-- lint-disable ${rule.id} reason -->`,
    '',
  ].join('\n');
}

const fenceText = {
  structure: 'the structure of the package',
  prose: 'prose only, not in fences or inline code',
  fences: 'prose and fenced blocks, not in inline code; examples marked as wrong do not count',
  everywhere: 'prose, fenced blocks and inline code; examples marked as wrong do not count',
} as const;

/** The documentation pages of the rules by file name, made from the rule table alone. */
export function rulePages(): Map<string, string> {
  return new Map([
    ['README.md', indexPage()],
    ...allRules.map((rule): [string, string] => [`${rule.id}.md`, rulePage(rule)]),
  ]);
}

function rulePage(rule: RuleText): string {
  const profiles = Object.entries(rule.in ?? {}).map(([profile, severity]) => `${profile}: ${severity}`);
  const used = patterns
    .filter(({ rules }) => rules.includes(rule.id))
    .map(({ id, title }) => `${id} ${title}`);
  const facts = [
    `**${rule.severity}**`,
    ruleFamilies[rule.id.slice(0, 2)] ?? '',
    ...(rule.fixable === true ? ['fixed by `charrette skill fix`'] : []),
    ...(profiles.length > 0 ? [`by profile: ${profiles.join(', ')}`] : []),
  ];
  return [
    `# ${rule.id}: ${rule.summary.replace(/\.$/, '')}`,
    '',
    facts.join(' · '),
    '',
    rule.why,
    '',
    'Wrong:',
    '',
    '```text',
    rule.bad,
    '```',
    '',
    `To put it right: ${rule.hint}`,
    '',
    `Checks ${fenceText[rule.fence ?? 'structure']}.${used.length > 0 ? ` Part of the pattern ${used.join(', ')}.` : ''}`,
    '',
  ].join('\n');
}

function indexPage(): string {
  const families = Object.entries(ruleFamilies).flatMap(([prefix, title]) => {
    const rows = allRules
      .filter(({ id }) => id.startsWith(prefix))
      .map(
        ({ id, severity, fixable, summary }) =>
          `- [${id}](${id}.md) ${severity}${fixable === true ? ', fix' : ''}: ${summary}`,
      );
    return [`## ${title}`, '', ...rows, ''];
  });
  return [
    '# Rules of `charrette skill lint`',
    '',
    'Generated from the rule table by `npm run docs`. `charrette skill explain ID` prints the same.',
    '',
    'Silence a rule with `<!-- lint-disable ID reason -->` for the file, or `<!-- lint-disable-next-line ID reason -->` for the',
    'next line or fence. No errors: PASS; one or two: REVIEW; three or more: FAIL.',
    '',
    ...families,
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}
