import { append, first, fourth, js, type Mutation, replace, second, skill, third } from './mutations.ts';

/** Hygiene of phases, compact recovery, data flow. */
export const phaseCases: Record<string, Mutation | Mutation[]> = {
  HY001: [
    { what: 'includes', change: append(first, js("const y = $ARGUMENTS.includes('--yes')")) },
    { what: 'match', change: append(fourth, js('const id = $ARGUMENTS.match(/x/)')) },
  ],
  HY002: { what: 'own skill', change: append(first, js('Skill(skill="demo-flow", args="--in-memory")')) },
  HY003: [
    { what: 'with quotes', change: append(first, '`/demo:flow "Add dark mode"`') },
    { what: 'without', change: append(first, 'Run /demo-flow again.') },
  ],
  HY004: [
    { what: 'bold', change: append(first, '**Source**: Converted from commands/plan.md') },
    { what: 'plain', change: append(first, 'Source: converted from commands/plan.md') },
  ],
  HY005: [
    { what: 'line', change: append(first, '-y, --yes   Skip prompts') },
    { what: 'table', change: append(first, '| Flag | Does |\n|---|---|\n| `--dry-run` | nothing |') },
  ],
  HO001: {
    what: 'two phases that read each other',
    change: (texts) => {
      append(second, js('Read("phases/04-task-generation.md")'))(texts);
      append(fourth, js('Read("phases/02-context-gather.md")'))(texts);
    },
  },
  HY006: { what: 'abbreviated', change: append(first, 'See original command for details.') },
  HY007: {
    what: 'background',
    change: append(
      first,
      js('Task({ subagent_type: "cli-explore-agent", run_in_background: true, prompt: "x" })'),
    ),
  },
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is about it
  HY008: { what: 'interpolated', change: append(first, js('Bash(`ccw cli -p "${prompt}"`)')) },
  CP001: {
    what: 'three columns',
    change: (texts) =>
      replace(
        skill,
        /^(\| (?:Phase|\d) \|.*) \|[^|\n]*\|$|^(\|---\|---\|---)\|---\|(?=\n\| 1)/gm,
        '$1$2 |',
      )(texts),
  },
  CP002: [
    { what: 'mark only', change: replace(third, /> \*\*📌[\s\S]*?\n\n/u, '') },
    { what: 'sentinel only', change: replace(skill, /(\| 4 \|.*)\+ 🔄 sentinel/, '$1') },
  ],
  CP003: { what: 'count', change: replace(fourth, /contains \d+ execution/, 'contains 9 execution') },
  CP004: { what: 'range', change: replace(fourth, '(Step 4.1 —', '(Step 4.0 —') },
  CP005: { what: 'phase', change: replace(fourth, 'SENTINEL [Phase 4:', 'SENTINEL [Phase 5:') },
  CP006: {
    what: 'path',
    change: replace(
      fourth,
      'Recovery: `Read("phases/04-task-generation.md")`',
      'Recovery: `Read("phases/01-session-init.md")`',
    ),
  },
  CP007: {
    what: 'late',
    change: replace(fourth, /(# Phase 4: Task Generation\n\n)((?:>.*\n)+)/, '$1## Early\n\ntext\n\n$2'),
  },
  CP008: { what: 'no directive', change: replace(skill, /^(?:> .*\n)+/m, '') },
  CP009: { what: 'no checkpoint', change: replace(fourth, /> \*\*⚠️ CHECKPOINT[\s\S]*?\n\n/, '') },
  CP010: {
    what: 'one line',
    change: replace(
      fourth,
      /> \*\*⚠️ CHECKPOINT[\s\S]*?\n\n/,
      '> **⚠️ CHECKPOINT**: re-read if only a summary remains.\n\n',
    ),
  },
  CP011: { what: 'unmarked target', change: append(third, js('Read("phases/01-session-init.md")')) },
  CP012: { what: 'legacy', change: append(first, '> **⚠️ COMPACT PROTECTION**: do not compress.') },
  CP013: { what: 'other phase', change: replace(first, '### Step 1.1', '### Step 5.1') },
  DF001: {
    what: 'undeclared',
    change: replace(
      skill,
      '| Phase 3 | Phase 4 | `resolutionPath` |',
      '| Phase 3 | Phase 4 | `resolvedArtifacts` |',
    ),
  },
  DF002: {
    what: 'too early',
    change: replace(second, '- **Variable**: `sessionId` (from Phase 1)', '- **Variable**: `taskPath`'),
  },
  DF003: {
    what: 'unused',
    change: replace(
      first,
      '- **Variable**: `sessionId`\n',
      '- **Variable**: `sessionId`\n- **Variable**: `lostPath`\n',
    ),
  },
  DF004: {
    what: 'unknown',
    change: replace(skill, 'Condition: conflictRisk >= medium', 'Condition: riskLevel >= medium'),
  },
  DF005: { what: 'string', change: append(first, js("if (conflictRisk >= 'medium') run()")) },
  DF006: {
    what: 'unconditional',
    change: (texts) =>
      replace(fourth, /; absent when that phase was skipped: continue without it/, '')(texts),
  },
  DF007: {
    what: 'two spellings',
    change: replace(
      first,
      '- **Variable**: `sessionId`\n',
      '- **Variable**: `sessionId`\n- **Variable**: `session_id`\n',
    ),
  },
  DF008: { what: 'no such phase', change: replace(skill, 'skip to Phase 4', 'skip to Phase 7') },
};
