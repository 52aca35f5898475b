import { fenceText, patterns } from './explain.ts';
import { allRules, type RuleText, ruleFamilies } from './rules/catalog.ts';

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
    `Checks ${fenceText[rule.fence]}.${used.length > 0 ? ` Part of the pattern ${used.join(', ')}.` : ''}`,
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
