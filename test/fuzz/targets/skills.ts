import { parseDocument } from '../../../src/base/markdown/parse.ts';
import { parseJson, readJson } from '../../../src/base/safe-json.ts';
import { checkSentinel, snapshotPhase } from '../../../src/skills/compaction/compaction.ts';
import { readAnswers } from '../../../src/skills/config/answers.ts';
import { completeConfig, readConfig } from '../../../src/skills/config/complete-config.ts';
import { readCommandSet } from '../../../src/skills/convert/command-set.ts';
import { configFromText } from '../../../src/skills/convert/from-text.ts';
import {
  readRequirementsJson,
  readRequirementsMarkdown,
} from '../../../src/skills/convert/requirements-doc.ts';
import { readFlatSkill } from '../../../src/skills/convert/restructure.ts';
import { fixPackage } from '../../../src/skills/fix/fix-package.ts';
import { readBaseline } from '../../../src/skills/lint/lint-paths.ts';
import { findCalls } from '../../../src/skills/model/calls.ts';
import {
  comparesOrdinalAsString,
  conditionVariables,
  evaluateCondition,
  parseCondition,
} from '../../../src/skills/model/condition.ts';
import { readPhaseAnswer } from '../../../src/skills/run/phase-call.ts';
import { runPlan } from '../../../src/skills/run/run-plan.ts';
import { readScenario } from '../../../src/skills/run/simulate.ts';
import { cleanTexts, lintTexts, packageOf } from '../../support/skill-packages.ts';
import { Broken, holds, type Target } from '../target.ts';

const clean = cleanTexts();
const separator = '\n=====\n';
const names = Object.keys(clean);
const whole = names.map((name) => clean[name]).join(separator);

/** The files of a package, one after the other; a text that has fewer gives a package with fewer files. */
function packageIn(text: string): Record<string, string> {
  const pieces = text.split(separator);
  return Object.fromEntries(
    pieces.slice(0, names.length).map((piece, index) => [names[index] ?? 'SKILL.md', piece]),
  );
}

/** Runs readers that may each refuse the text; only unexpected errors are rethrown. */
function each(...readers: (() => unknown)[]): void {
  for (const read of readers) {
    try {
      read();
    } catch (error) {
      if (error instanceof Broken || !(error instanceof Error) || error.name !== 'CharretteError')
        throw error;
    }
  }
}

export const skills: readonly Target[] = [
  {
    name: 'conditions',
    reads: 'expressions in which phases say when they run',
    seeds: ['risk >= medium && (autoYes || !skip)', "mode == 'plan' or not x.y", '((a))', 'count > 3.5'],
    run(text) {
      const reading = parseCondition(text);
      if (!reading.ok)
        return holds(reading.at >= 0 && reading.at <= text.length, 'what is wrong has a place');
      conditionVariables(reading.condition);
      comparesOrdinalAsString(reading.condition);
      const looked: string[] = [];
      const value = evaluateCondition(reading.condition, (path) => void looked.push(path));
      holds(typeof value === 'boolean', 'a condition holds or not');
      const known = conditionVariables(reading.condition);
      holds(
        looked.every((path) => known.includes(path)),
        'only named variables are looked up',
      );
    },
  },
  {
    name: 'skill-packages',
    reads: 'SKILL.md and phases: model, lint, run plan',
    seeds: [whole, clean['SKILL.md'] ?? '', '---\nname: x\n---\n# X\n'],
    run(text) {
      const texts = packageIn(text);
      const lines = new Map(
        Object.entries(texts).map(([file, content]) => [file, content.split('\n').length]),
      );
      for (const { file, line } of lintTexts(texts).findings)
        holds(line >= 1 && line <= (lines.get(file) ?? 1), 'findings have a line of their file');
      each(() => runPlan(packageOf(texts)));
    },
  },
  {
    name: 'skill-fixes',
    reads: 'packages that are fixed',
    seeds: [whole, clean['SKILL.md'] ?? ''],
    run(text) {
      const texts = packageIn(text);
      const fixed = { ...texts, ...Object.fromEntries(fixPackage(packageOf(texts).files, false).texts) };
      holds(
        Object.keys(fixed).every((name) => !name.split('/').includes('..') && !name.startsWith('/')),
        'only files of the package are written',
      );
      const again = fixPackage(packageOf(fixed).files, false).texts;
      holds(
        [...again].every(([name, content]) => fixed[name] === content),
        'fixing again changes nothing',
      );
    },
  },
  {
    name: 'skill-documents',
    reads: 'Markdown of skills: headings, fences, tables, calls',
    seeds: [
      clean['SKILL.md'] ?? '',
      '```js\nTask({ prompt: `a b c`, x: [1, "2"] })\n```\n| a | b |\n|---|---|\n| `x|y` | z |\n',
    ],
    run(text) {
      const document = parseDocument('SKILL.md', text);
      const lines = text.split('\n').length;
      for (const heading of document.headings)
        holds(
          heading.line >= 0 && heading.endLine <= lines && heading.line < heading.endLine,
          'headings lie in the text',
        );
      for (const call of findCalls(text, ['Task', 'Read', 'AskUserQuestion']))
        holds(call !== undefined, 'calls are found');
      snapshotPhase('phases/01.md', text);
      checkSentinel(text, { path: 'phases/01.md', text: clean['phases/01-session-init.md'] ?? '' });
      checkSentinel(clean['SKILL.md'] ?? '', { path: 'phases/01.md', text });
    },
  },
  {
    name: 'skill-conversions',
    reads: 'flat skills, commands, requirement documents and prose that become packages',
    seeds: [
      '---\nname: flat\ndescription: d\n---\n# Flat\n\n## Phase 1: One\nx\n## Phase 2: Two\ny\n',
      '# Command\n\n## Phase 1: Start\nSlashCommand("/a:b")\n',
      '# Requirements\n\n## Phases\n1. **Collect** — x\n2. **Write**\n',
      '{"name":"x","phases":[{"name":"a"}]}',
      'First collect the files, then write a report.',
    ],
    run(text) {
      each(
        () => readFlatSkill(text, 'flat'),
        () => readCommandSet('a/b.md', text, () => undefined),
        () => completeConfig(readRequirementsMarkdown(text, 'fallback')),
        () => completeConfig(readRequirementsJson(parseJson(text, 'x.json'), 'fallback')),
        () => completeConfig(configFromText(text, undefined)),
      );
    },
  },
  {
    name: 'skill-json',
    reads: 'workflow configurations, answers of the designer, scenarios, baselines, answers of phases',
    seeds: [
      '{"skillName":"x","phases":[{"name":"a","outputVariables":["v"]}]}',
      '{"phases":{"1":{"v":"x"}},"answers":{"depth":"Quick"},"expect":{"phases":[1]}}',
      '{"version":1,"findings":{"a":1}}',
      '{"status":"DONE","summary":"s","outputs":{"v":1},"files":{"../x":"y"}}',
    ],
    run(text) {
      const reading = readJson(text);
      if (!reading.ok) return;
      const { value } = reading;
      const [phase] = runPlan(packageOf(clean)).phases;
      each(
        () => readConfig(value, 'x.json'),
        () => readAnswers(value, 'x.json'),
        () => readScenario(value, 'x.json'),
        () => readBaseline(value, 'x.json'),
        () => phase && readPhaseAnswer(value, phase),
      );
    },
  },
];
