/** S-080…S-087: the texts of compact recovery. Readers key on their words; tests pin them. */

export const directiveText = [
  '> **⚠️ COMPACT DIRECTIVE**: Context compression MUST check TodoWrite phase status.',
  '> The phase currently marked `in_progress` is the active execution phase — preserve its FULL content.',
  '> Only compress phases marked `completed` or `pending`.',
].join('\n');

export function compactCell(guarded: boolean): string {
  return guarded ? 'TodoWrite 驱动 + 🔄 sentinel' : 'TodoWrite 驱动';
}

export function compactRules(example: string): string {
  return [
    '**Compact Rules**:',
    '',
    '1. **TodoWrite `in_progress`** → keep the whole phase document, never compress it',
    '2. **TodoWrite `completed`** → may be reduced to a summary',
    `3. **🔄 sentinel fallback** → when only the sentinel is left of a phase, run \`Read("${example}")\` (with that phase's path) at once, before the next step`,
  ].join('\n');
}

export type SentinelFacts = {
  number: number;
  name: string;
  path: string;
  count: number;
  first: string;
  last: string;
};

export function sentinelText({ number, name, path, count, first, last }: SentinelFacts): string {
  const range = count === 0 ? '' : ` (Step ${first} — ${last})`;
  return [
    `> **📌 COMPACT SENTINEL [Phase ${number}: ${name}]**`,
    `> This phase contains ${count} execution steps${range}.`,
    '> If you can read this sentinel but cannot find the full Step protocol below, context has been compressed.',
    `> Recovery: \`Read("${path}")\``,
  ].join('\n');
}

export function checkpointText({ first, last, path }: { first: string; last: string; path: string }): string {
  return [
    '> **⚠️ CHECKPOINT**: Before proceeding, verify:',
    '> 1. This phase is TodoWrite `in_progress` (active phase protection)',
    `> 2. Full protocol (Step ${first} — ${last}) is in active memory, not just sentinel`,
    `> If only sentinel remains → \`Read("${path}")\` now.`,
  ].join('\n');
}

/** The comment above the `Read` of a handoff (S-087), without the marks of a comment. */
export function handoffComment(phase: string): string[] {
  const subject = /^\d/.test(phase) ? `Phase ${phase}` : phase;
  return [
    `${subject} is tracked by TodoWrite: active phase protection applies.`,
    'Sentinel fallback: if it was compressed anyway, read it again.',
  ];
}

export function handoffText(number: number, path: string): string {
  return [...handoffComment(String(number)).map((line) => `// ${line}`), `Read("${path}")`].join('\n');
}
