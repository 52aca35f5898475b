import { append, first, js, type Mutation, replace, routerTexts, second, skill } from './mutations.ts';

/** Frontmatter, structure, references, sections. */
export const structureCases: Record<string, Mutation | Mutation[]> = {
  FM001: [
    { what: 'never closed', change: replace(skill, /\n---\n/, '\n') },
    { what: 'absent', change: replace(skill, /^---[\s\S]*?\n---\n/, '') },
    { what: 'not YAML', change: replace(skill, 'name: demo-flow', 'name: demo-flow\n\tbroken: {') },
  ],
  FM002: [
    { what: 'not kebab-case', change: replace(skill, 'name: demo-flow', 'name: Demo_Flow') },
    { what: 'too long', change: replace(skill, 'name: demo-flow', `name: ${'a'.repeat(65)}`) },
    { what: 'absent', change: replace(skill, 'name: demo-flow\n', '') },
  ],
  FM003: { what: 'another directory', directory: 'other', change: () => {} },
  FM004: [
    { what: 'empty', change: replace(skill, /description: .*/, 'description:') },
    { what: 'too long', change: replace(skill, 'Shows a workflow', `Shows ${'long '.repeat(220)} workflow`) },
  ],
  FM005: { what: 'no trigger', change: replace(skill, / Triggers on .*"\./, '') },
  FM006: { what: 'no tools', change: replace(skill, /allowed-tools: .*\n/, '') },
  FM007: {
    what: 'wildcard and double',
    change: replace(skill, 'allowed-tools: ', 'allowed-tools: Read(*), Read, '),
  },
  FM008: { what: 'undeclared', change: append(first, js('Skill(skill="other-skill")')) },
  FM009: {
    what: 'command key',
    change: replace(skill, '\nallowed-tools', '\nargument-hint: "[-y] task"\nallowed-tools'),
  },
  FM010: {
    what: 'colon',
    change: replace(skill, /description: .*/, 'description: Plan: build it. Triggers on "x".'),
  },
  ST001: { what: 'only phases', change: (texts) => delete texts[skill] },
  ST002: {
    what: 'underscore',
    change: (texts) => {
      texts['phases/1_plan.md'] = '# Phase 1: X\n';
    },
  },
  ST003: {
    what: 'gap',
    change: (texts) => {
      texts['phases/06-late.md'] = '# Phase 6: Late\n';
    },
  },
  ST004: { what: 'other number', change: replace(second, '# Phase 2', '# Phase 7') },
  ST005: { what: 'second H1', change: append(first, '# Another Command') },
  ST006: {
    what: 'eleven',
    change: (texts) => {
      for (let number = 5; number <= 11; number += 1)
        texts[`phases/${String(number).padStart(2, '0')}-x.md`] = `# Phase ${number}: X\n`;
    },
  },
  ST007: { what: 'long', change: append(skill, 'line\n'.repeat(500)) },
  ST008: [
    { what: 'agent call', change: append(skill, js(`Task({ prompt: \`\n${'line\n'.repeat(20)}\` })`)) },
    { what: 'shell', change: append(skill, `\`\`\`bash\n${'echo x\n'.repeat(12)}\`\`\``) },
  ],
  ST009: { what: 'inner phase', change: append(first, '### Phase 2: Clarification\n\ntext') },
  ST010: { what: 'todo', change: append(first, 'TODO: Add execution detail for Review') },
  RF001: [
    { what: 'Ref', change: replace(skill, 'Ref: phases/02-context-gather.md', 'Ref: phases/02-missing.md') },
    { what: 'link', change: append(skill, '[gone](references/gone.md)') },
  ],
  RF002: { what: 'no table', change: replace(skill, /\| Phase \| Document[\s\S]*?\n\n/, '\n') },
  RF003: [
    {
      what: 'wrong file',
      change: replace(
        skill,
        '| 2 | [phases/02-context-gather.md](phases/02-context-gather.md)',
        '| 2 | [phases/03-conflict-resolution.md](phases/03-conflict-resolution.md)',
      ),
    },
    { what: 'no row', change: replace(skill, /\| 2 \| \[phases.*\n/, '') },
  ],
  RF004: { what: 'no Ref', change: replace(skill, 'Ref: phases/02-context-gather.md', 'the second phase') },
  RF005: { what: 'number', change: replace(first, '[Phase 2: Context Gather]', '[Phase 3: Context Gather]') },
  RF006: { what: 'none', change: replace(first, /## Next Phase[\s\S]*$/, '') },
  RF007: {
    what: 'orphan',
    change: (texts) => {
      texts['phases/05-old.md'] = '# Phase 5: Old\n';
    },
  },
  RF008: [
    { what: 'named', change: append(first, 'see SKILL.md "Compact Protection" section') },
    { what: 'anchor', change: append(first, '[x](../SKILL.md#no-such-thing)') },
  ],
  RF009: {
    what: 'not there',
    surroundings: { installed: new Set(['demo-flow']), conversion: undefined },
    change: append(skill, js('Skill(skill="workflow:status")')),
  },
  RF010: { what: 'absolute', change: append(first, js('Read("/home/me/phases/01.md")')) },
  SC001: { what: 'longer heading', change: replace(skill, '## Data Flow', '### Data Flow notes') },
  SC002: { what: 'no checklist', change: replace(skill, '## Coordinator Checklist', '## List') },
  SC003: { what: 'auto mode', change: replace(skill, '## Auto Mode Defaults', '## Something') },
  SC004: {
    what: 'no row',
    change: (texts) =>
      Object.assign(texts, routerTexts(), {
        [skill]: routerTexts()[skill]?.replace(/\| `demo:run`.*\n/, ''),
      }),
  },
  SC005: { what: 'no output', change: replace(first, '## Output', '## Result') },
  SC006: { what: 'empty', change: replace(skill, '## Core Rules', '## Empty\n\n## Core Rules') },
};
