import { expect, test } from 'vitest';
import { cleanTexts, lintTexts, packageOf } from '../../../test/support/skill-packages.ts';
import { buildPackage, type PackageFiles } from '../model/package.ts';
import { fixPackage, syncAll } from './fix-package.ts';
import { renumber } from './renumber.ts';

const filesOf = (texts: Record<string, string>): PackageFiles => packageOf(texts).files;
const errors = (texts: Record<string, string>) =>
  lintTexts(texts)
    .findings.filter(({ severity }) => severity !== 'info')
    .map(({ rule, message }) => `${rule} ${message}`);
const fixed = (texts: Record<string, string>, unsafe = false) => ({
  ...texts,
  ...Object.fromEntries(fixPackage(filesOf(texts), unsafe).texts),
});
const phase4 = 'phases/04-task-generation.md';

test('S-088 sync of a clean package changes nothing', () => {
  const texts = cleanTexts();
  for (const [path, text] of syncAll(packageOf(texts))) expect(text ?? texts[path]).toBe(texts[path]);
});

test('S-088 sync corrects count, range, phase and path, and is idempotent', () => {
  const texts = cleanTexts();
  texts[phase4] = (texts[phase4] ?? '')
    .replace(
      /contains \d+ execution steps \(Step 4.1 — [\d.]+\)/,
      'contains 9 execution steps (Step 4.0 — 4.9)',
    )
    .replace('[Phase 4: Task', '[Phase 9: Task')
    .replace('Recovery: `Read("phases/04', 'Recovery: `Read("phases/09')
    .replace('### Step 4.2', '### Step 4.2A: extra\n\ntext\n\n### Step 4.2');
  const once = fixed(texts);
  expect(errors(once)).toEqual([]);
  expect(fixed(once)).toEqual(once);
  expect(once[phase4]).toContain('contains 4 execution steps');
});

test('CP002 CP009 CP008 CP001 a bare package gets column, directive, sentinel and checkpoints', () => {
  const clean = cleanTexts();
  const bare = { ...clean };
  bare['SKILL.md'] = (clean['SKILL.md'] ?? '').replace(/^(?:> .*\n)+\n/m, '');
  bare[phase4] = (clean[phase4] ?? '').replace(/^(?:> .*\n)+\n/gm, '');
  expect(errors(bare).length).toBeGreaterThan(0);
  expect(errors(fixed(bare))).toEqual([]);
});

test('S-089 CP012 the older three-layer form is migrated', () => {
  const texts = cleanTexts();
  texts[phase4] = (texts[phase4] ?? '').replace(
    /^> \*\*📌[\s\S]*?\n\n/mu,
    '> **⚠️ COMPACT PROTECTION**: never compress this.\n\n',
  );
  const after = fixed(texts);
  expect(after[phase4]).not.toContain('COMPACT PROTECTION');
  expect(lintTexts(after).findings).toEqual([]);
});

test('CP005: a sentinel with the number of its file stays when the heading has another one', () => {
  const texts = cleanTexts();
  texts[phase4] = (texts[phase4] ?? '')
    .replace('# Phase 4:', '# Phase 2:')
    .replace('### Step 4.2', '### Step 4.2A: extra\n\ntext\n\n### Step 4.2');
  const after = fixed(texts);
  expect(after[phase4]).toContain('SENTINEL [Phase 4: ');
  expect(after[phase4]).toContain('contains 4 execution steps');
  const right = cleanTexts();
  right[phase4] = (right[phase4] ?? '').replace('# Phase 4:', '# Phase 2:');
  expect(fixed(right)).toEqual(right);
});

test('CP012 S-089: the older checkpoint, handoff comment and anchor become the present form', () => {
  const texts = cleanTexts();
  texts['phases/01-session-init.md'] = `${texts['phases/01-session-init.md']}
\`\`\`javascript
  // ⚠️ COMPACT PROTECTION: Phase 4 instructions MUST persist in memory throughout execution.
  // If compact compresses Phase 4 content at any point, re-read this file before continuing.
  Read("${phase4}")
\`\`\`
`;
  texts[phase4] = (texts[phase4] ?? '').replace(
    /> \*\*⚠️ CHECKPOINT[\s\S]*?\n\n/,
    `> **⚠️ CHECKPOINT**: Verify the protocol is in active memory. If only a summary remains, re-read \`${phase4}\` now.\n\n`,
  );
  texts['SKILL.md'] = `${texts['SKILL.md']}\n**Phase 4 Compact Rule**: keep phase 4 whole.\n`;
  const after = fixed(texts);
  expect(lintTexts(after).findings.filter(({ rule }) => rule.startsWith('CP'))).toEqual([]);
  expect(after['phases/01-session-init.md']).toContain(
    `  // Phase 4 is tracked by TodoWrite: active phase protection applies.\n  // Sentinel fallback`,
  );
  expect(after['phases/01-session-init.md']).not.toContain('SENTINEL [Phase 1');
  expect(fixed(after)).toEqual(after);
});

test('CP006: a checkpoint of a single SKILL.md recovers from SKILL.md after the fix', () => {
  const head = '---\nname: demo-flow\ndescription: Runs when asked. Triggers on "demo".\n---\n\n# Demo\n\n';
  const texts = {
    'SKILL.md': `${head}## Step 1: Run\n\n> **CHECKPOINT**: If only a summary remains, re-read \`phases/02-run.md\` now.\n\n## Step 2: End\n\nDone.\n`,
  };
  const after = fixed(texts);
  expect(after['SKILL.md']).toContain('Full protocol (Step 1 — 2)');
  expect(after['SKILL.md']).toContain('Read("SKILL.md")');
  expect(lintTexts(after).findings.filter(({ rule }) => rule.startsWith('CP'))).toEqual([]);
});

test('S-099 RF006 SC005 RF002 missing sections and the table are added', () => {
  const texts = cleanTexts();
  texts['SKILL.md'] = (texts['SKILL.md'] ?? '').replace(/\| Phase \| Document[\s\S]*?\n\n/, '\n');
  texts['phases/01-session-init.md'] = (texts['phases/01-session-init.md'] ?? '')
    .replace(/## Output[\s\S]*$/, '')
    .replace('## Objective', '## Aim');
  const after = fixed(texts);
  expect(
    lintTexts(after).findings.filter(({ rule }) => ['RF002', 'RF003', 'RF006', 'SC005'].includes(rule)),
  ).toEqual([]);
});

test('FM007 FM010 HY004 safe fixes work, FM005 FM009 wait for --unsafe', () => {
  const texts = cleanTexts();
  texts['SKILL.md'] = (texts['SKILL.md'] ?? '')
    .replace(/description: .*/, 'description: Plan: build it')
    .replace('allowed-tools: ', 'argument-hint: "[-y] task"\nallowed-tools: Read(*), ');
  texts['phases/01-session-init.md'] =
    `${texts['phases/01-session-init.md']}\n**Source**: Converted from commands/plan.md\n`;
  const rules = (result: Record<string, string>) => lintTexts(result).findings.map(({ rule }) => rule);
  expect(rules(fixed(texts))).toEqual(expect.arrayContaining(['FM005', 'FM009']));
  expect(rules(fixed(texts))).not.toEqual(expect.arrayContaining(['FM007', 'FM010', 'HY004']));
  const all = fixed(texts, true);
  expect(rules(all)).toEqual([]);
  expect(packageOf(all).triggers).toEqual(['demo:flow']);
  expect(all['SKILL.md']).toContain('[-y] task');
});

test('fixes keep CRLF', () => {
  const texts = Object.fromEntries(
    Object.entries(cleanTexts()).map(([path, text]) => [path, text.replaceAll('\n', '\r\n')]),
  );
  texts[phase4] = (texts[phase4] ?? '').replace(/contains \d+ execution/, 'contains 9 execution');
  const after = fixed(texts);
  expect(after[phase4]?.replaceAll('\r\n', '')).not.toContain('\n');
  expect(errors(after)).toEqual([]);
});

test('S-003 renumber closes gaps, takes in half phases and rewrites every reference', () => {
  const texts = cleanTexts();
  const half =
    '# Phase 2.5: Extra\n\nA half phase.\n\n## Objective\n\n- x\n\n## Output\n\n- **TodoWrite**: done\n\n## Next Phase\n\nGo on to [Phase 3: Conflict Resolution](03-conflict-resolution.md).\n';
  texts['phases/02.5-extra.md'] = half;
  texts['SKILL.md'] = (texts['SKILL.md'] ?? '').replace(
    /(\| 3 \|)/,
    '| 2.5 | [phases/02.5-extra.md](phases/02.5-extra.md) | Extra | TodoWrite 驱动 |\n$1',
  );
  texts['SKILL.md'] = texts['SKILL.md'].replace(
    'Phase 3: Conflict Resolution\n',
    'Phase 2.5: Extra\n   └─ Ref: phases/02.5-extra.md\n\nPhase 3: Conflict Resolution\n',
  );
  texts['phases/02-context-gather.md'] = (texts['phases/02-context-gather.md'] ?? '').replace(
    /\[Phase 3: .*?\]\(.*?\)/,
    '[Phase 2.5: Extra](02.5-extra.md)',
  );
  const result = renumber(packageOf(texts));
  expect([...result.texts.keys()]).toEqual([
    'SKILL.md',
    'phases/01-session-init.md',
    'phases/02-context-gather.md',
    'phases/03-extra.md',
    'phases/04-conflict-resolution.md',
    'phases/05-task-generation.md',
  ]);
  expect(result.moved.get('phases/04-task-generation.md')).toBe('phases/05-task-generation.md');
  const after = Object.fromEntries(result.texts);
  expect(after['phases/05-task-generation.md']).toContain('### Step 5.1');
  expect(errors(after)).toEqual([]);
  expect(buildPackage(filesOf(after)).phases.map(({ number, titleNumber }) => [number, titleNumber])).toEqual(
    [
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 4],
      [5, 5],
    ],
  );
});

test.each([
  '---\nallowed-tools: T # Phase "\n Phase \n---\n```\n```\n*',
  '---\nname: a\nallowed-tools: Read(*),\n  Write, # both\n  Read\n---\n# A\n',
  '---\nname: a-b\ndescription: Plans: first\n  and then\n---\n# A\n',
])('a value over several lines is fixed as a whole, once: %j', (text) => {
  const once = fixed({ 'SKILL.md': text });
  expect(once['SKILL.md']).not.toBe(text);
  expect(fixed(once)).toEqual(once);
});

test('S-003 ST003 renumber of phases that share a number goes by file and title, and names what leaves it open', () => {
  const phase = (number: number, name: string, more = '') =>
    `# Phase ${number}: ${name}\n\n## Objective\n\n- x\n\n### Step ${number}.1: do\n\nText.\n\n## Output\n\n- **TodoWrite**: Mark Phase ${number} completed\n${more}`;
  const texts = {
    'SKILL.md':
      '---\nname: demo-flow\ndescription: Does it. Triggers on "demo:flow".\nallowed-tools: Read\n---\n\n# Demo\n\n## Execution Flow\n\n```\nPhase 1: Alpha\n   └─ Ref: phases/01-alpha.md\nPhase 1: Beta\n   └─ Ref: phases/01-beta.md\nPhase 2: Gamma\n   └─ Ref: phases/02-gamma.md\n```\n\n| Phase | Document | Purpose |\n|---|---|---|\n| 1 | [phases/01-alpha.md](phases/01-alpha.md) | A |\n| 1 | [phases/01-beta.md](phases/01-beta.md) | B |\n| 2 | [phases/02-gamma.md](phases/02-gamma.md) | C |\n\n## Data Flow\n\n```\nphase1 → phase2: risk\n```\n\nAfter Phase 1 ask the user; after Phase 2 stop.\n',
    'phases/01-alpha.md': phase(1, 'Alpha', '\n## Next Phase\n\nGo on to [Phase 1: Beta](01-beta.md).\n'),
    'phases/01-beta.md': phase(1, 'Beta', '\n## Next Phase\n\nGo on to [Phase 2: Gamma](02-gamma.md).\n'),
    'phases/02-gamma.md': phase(2, 'Gamma', '\n## Completion\n\nDone.\n'),
  };
  const result = renumber(packageOf(texts));
  const after = Object.fromEntries(result.texts);
  const text = after['SKILL.md'] ?? '';
  for (const line of [
    'Phase 1: Alpha\n   └─ Ref: phases/01-alpha.md\nPhase 2: Beta\n   └─ Ref: phases/02-beta.md\nPhase 3: Gamma\n',
    '| 1 | [phases/01-alpha.md](phases/01-alpha.md) | A |\n| 2 | [phases/02-beta.md](phases/02-beta.md) | B |\n| 3 | [phases/03-gamma.md](phases/03-gamma.md) | C |\n',
    '\nphase1 → phase3: risk\n',
    '\nAfter Phase 1 ask the user; after Phase 3 stop.\n',
  ])
    expect(text).toContain(line);
  expect(after['phases/01-alpha.md']).toContain('[Phase 2: Beta](02-beta.md)');
  expect(after['phases/02-beta.md']).toBe(
    phase(2, 'Beta', '\n## Next Phase\n\nGo on to [Phase 3: Gamma](03-gamma.md).\n'),
  );
  expect(after['phases/03-gamma.md']).toBe(phase(3, 'Gamma', '\n## Completion\n\nDone.\n'));
  const files = ['01-alpha.md', '02-beta.md'];
  expect(result.byHand).toEqual([
    { path: 'SKILL.md', line: 'phase1 → phase3: risk', number: 1, files },
    { path: 'SKILL.md', line: 'After Phase 1 ask the user; after Phase 3 stop.', number: 1, files },
  ]);
  expect(renumber(packageOf(cleanTexts())).byHand).toEqual([]);
});
