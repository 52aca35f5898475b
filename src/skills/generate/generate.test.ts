import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { lintTexts } from '../../../test/support/skill-packages.ts';
import { parseJson } from '../../base/safe-json.ts';
import { configFromAnswers, type DesignAnswers } from '../config/answers.ts';
import { completeConfig, configProblems, readConfig } from '../config/complete-config.ts';
import { describe as describeSkill, generatePackage } from './skill-markdown.ts';
import { drawDiagram } from './skill-sections.ts';

const generate = (answers: DesignAnswers, more: object = {}) => {
  const { config } = completeConfig(configFromAnswers({ name: 'demo-flow', ...more }, answers));
  return { config, texts: Object.fromEntries(generatePackage(config)) };
};

/** Size and number of phases are the author's choice; everything else must be clean. */
const clean = (texts: Record<string, string>) =>
  lintTexts(texts).findings.filter(({ rule }) => !/^(?:ST006|SZ00\d|ST007)$/.test(rule));

test('S-110 S-012 S-014 S-033 S-034 S-085 S-087 all ten answers arrive in the package', () => {
  const { config, texts } = generate({
    phases: 'Collect, Analyse: find out what it means, Decide, Report',
    conditions: ['3: risk >= medium'],
    data: ['2>3: risk', '1>2: sessionId'],
    agents: ['2: Explore'],
    subtasks: ['2: read, compare'],
    notes: true,
    errors: 'rollback',
    preferences: ['depth: How deep?: Quick | Thorough'],
    handoffs: ['1>2'],
    longContext: '4',
  });
  const skill = texts['SKILL.md'] ?? '';
  expect(Object.keys(texts)).toHaveLength(5);
  for (const part of [
    'Condition: risk >= medium',
    '→ read',
    'planning-notes.md',
    'Undo what the phase wrote',
    '"Depth"',
  ])
    expect(skill).toContain(part);
  expect(texts['phases/01-collect.md']).toContain('Read("phases/02-analyse.md")');
  expect(texts['phases/04-report.md']).toContain('COMPACT SENTINEL [Phase 4: Report]');
  expect(config.features).toMatchObject({
    hasConditionalPhases: true,
    hasTodoWriteSubTasks: true,
    hasPlanningNotes: true,
  });
  expect(clean(texts)).toEqual([]);
});

test('S-050 S-052 S-055 S-080 S-082 sections come in the order of the template', () => {
  const { texts } = generate({ notes: true });
  for (const part of [
    'COMPACT DIRECTIVE',
    '**Compact Rules**',
    '| Phase | Document | Purpose | Compact |',
    'Return:',
  ]) {
    expect(texts['SKILL.md']).toContain(part);
  }
  expect(generate({}, { autoMode: false }).texts['SKILL.md']).not.toContain('## Auto Mode Defaults');
  const headings = [...(texts['SKILL.md'] ?? '').matchAll(/^## (.+)$/gm)].map((match) => match[1]);
  expect(headings).toEqual([
    'Architecture Overview',
    'Key Design Principles',
    'Interactive Preference Collection',
    'Auto Mode Defaults',
    'Execution Flow',
    'Core Rules',
    'Input Processing',
    'Data Flow',
    'TodoWrite Pattern',
    'Post-Phase Updates',
    'Error Handling',
    'Coordinator Checklist',
    'Related Commands',
  ]);
});

test('S-041 the trigger clause is added once and merged with one that is there', () => {
  expect(describeSkill({ description: 'Plans.', triggers: ['a'] })).toBe('Plans. Triggers on "a".');
  expect(describeSkill({ description: 'Plans. Triggers on "b".', triggers: ['a'] })).toBe(
    'Plans. Triggers on "b", "a".',
  );
});

test('S-061 T-09 the last phase ends the workflow, a last conditional phase skips to the end', () => {
  const { texts } = generate({ phases: 'A, B, C', data: ['1>3: risk'], conditions: ['3: risk >= high'] });
  expect(texts['phases/03-c.md']).toMatch(/## Completion/);
  expect(texts['phases/03-c.md']).not.toMatch(/Next Phase|Phase 4/);
  expect(texts['SKILL.md']).toContain('not met → mark it skipped, go to the return step');
});

test('S-032 S-035 edges without a producer and conditions on unknown names are refused', () => {
  expect(() => generate({ phases: 'A, B', conditions: ['2: nothing >= medium'] })).toThrow(
    /uses nothing, which nothing produces/,
  );
  expect(() =>
    generate({ phases: 'A, B', data: ['1>2: risk'], conditions: ["2: risk >= 'medium'"] }),
  ).toThrow(/quotes a level/);
  expect(() => generate({ phases: 'A, B', data: ['2>1: x'] })).toThrow(/leads backwards/);
  const { config } = generate({ phases: 'A, B, C, D' });
  expect(
    configProblems({
      ...config,
      dataFlow: [{ from: 'phase3', to: 'phase4', variables: ['resolvedArtifacts'] }],
    }),
  ).toHaveLength(1);
});

test('S-030 a config survives saving and reading, unknown keys included', () => {
  const { config } = generate({ phases: 'A, B, C' });
  const saved = parseJson(JSON.stringify({ ...config, custom: { kept: true } }), 'saved');
  expect(readConfig(saved, 'saved')).toMatchObject({ custom: { kept: true }, skillName: 'demo-flow' });
});

test('S-044 other tool names for agents and todos lint as clean', () => {
  const { config } = generate({});
  const texts = Object.fromEntries(generatePackage(config, { agent: 'Agent', todo: 'TaskCreate' }));
  expect(texts['SKILL.md']).toContain(
    'allowed-tools: Agent, AskUserQuestion, TaskCreate, TaskUpdate, TaskList',
  );
  expect(clean(texts)).toEqual([]);
});

test('S-051 the diagram survives long, wide and many titles', () => {
  const drawn = drawDiagram(
    '界'.repeat(120),
    '🚀 '.repeat(60),
    Array.from({ length: 11 }, (_, index) => ({
      title: `Phase ${index + 1}`,
      lines: [`名前がとても長い${'x'.repeat(40)}`],
      below: 'out',
    })),
  );
  const boxes = drawn.split('\n').filter((line) => line.startsWith('│') || line.startsWith('┌'));
  expect(boxes.length).toBeGreaterThan(10);
  for (const line of drawn.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(80);
});

const word = fc.constantFrom(
  'Collect',
  'Analyse',
  '分析',
  'Review 🔄',
  'Write `code`',
  'A|B',
  'Über-Prüfung',
  'x'.repeat(60),
  'Task(',
  'Phase 9: no',
  '# Head',
  '[link](x.md)',
  '```',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is about it
  '${x}',
  '"quoted"',
);
const phase = fc.record({
  name: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
  description: fc.array(word, { maxLength: 4 }).map((words) => words.join(' ')),
  agentTypes: fc.subarray(['Explore', 'code-developer', 'general-purpose']),
  todoWriteSubTasks: fc.subarray(['read all', 'merge', 'review it']),
  outputVariables: fc.subarray(['alpha', 'betaPath', 'gammaId']),
});

test('whatever the names say, what is generated has no error', () => {
  fc.assert(
    fc.property(
      fc.array(phase, { minLength: 1, maxLength: 8 }),
      fc.constantFrom('pipeline' as const, 'router' as const, 'loop' as const),
      (phases, profile) => {
        const { texts } = generate(
          { phases },
          { profile, triggers: phases.map((_, index) => `demo:t${index}`) },
        );
        expect(lintTexts(texts).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
});
