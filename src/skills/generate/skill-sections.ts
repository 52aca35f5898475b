import stringWidth from 'string-width';
import type { PhaseConfig, QuestionConfig, WorkflowConfig } from '../config/workflow-config.ts';
import { phasePath, type Tools } from './phase-markdown.ts';

type Box = { title: string; lines: readonly string[]; below: string };

const widest = 76;
const boxWidth = 16;

/** S-051: one box a phase under a head box; rows wrap, long titles are folded, wide characters counted as two. */
export function drawDiagram(title: string, subtitle: string, boxes: readonly Box[]): string {
  const headWidth = Math.min(widest, Math.max(40, stringWidth(title) + 2, stringWidth(subtitle) + 2));
  const head = frame([...fold(title, headWidth - 2), ...fold(subtitle, headWidth - 2)], headWidth);
  const perRow = Math.max(1, Math.floor((widest + 2) / (boxWidth + 4)));
  const rows: string[] = [];
  for (let start = 0; start < boxes.length; start += perRow) {
    rows.push('', ...drawRow(boxes.slice(start, start + perRow)));
  }
  return [...head, ...rows].map((line) => line.trimEnd()).join('\n');
}

function drawRow(boxes: readonly Box[]): string[] {
  const contents = boxes.map(({ title, lines }) => [
    ...fold(title, boxWidth - 2),
    ...lines.flatMap((line) => fold(line, boxWidth - 2)),
  ]);
  const height = Math.max(...contents.map((lines) => lines.length));
  const framed = contents.map((lines) =>
    frame([...lines, ...Array<string>(height - lines.length).fill('')], boxWidth),
  );
  const below = boxes.map((box) => fold(box.below, boxWidth + 2).slice(0, 3));
  const belowHeight = Math.max(...below.map((lines) => lines.length));
  const join = (cells: readonly string[]) => cells.map((cell) => pad(cell, boxWidth + 2)).join('  ');
  return [
    join(boxes.map(() => center('↓', boxWidth + 2))),
    ...Array.from({ length: height + 2 }, (_, line) => join(framed.map((box) => box[line] ?? ''))),
    ...Array.from({ length: belowHeight }, (_, line) => join(below.map((lines) => lines[line] ?? ''))),
  ];
}

function frame(lines: readonly string[], width: number): string[] {
  const bar = '─'.repeat(width);
  return [`┌${bar}┐`, ...lines.map((line) => `│ ${pad(line, width - 1)}│`), `└${bar}┘`];
}

/** Breaks at blanks, and inside a word that alone is too wide. */
export function fold(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    if (line !== '' && stringWidth(`${line} ${word}`) <= width) {
      line += ` ${word}`;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const character of word) {
      if (stringWidth(line + character) > width) {
        lines.push(line);
        line = '';
      }
      line += character;
    }
  }
  return line === '' ? lines : [...lines, line];
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}

function center(text: string, width: number): string {
  return ' '.repeat(Math.max(0, Math.floor((width - stringWidth(text)) / 2))) + text;
}

/** S-052, S-014: parsing, phases with Ref, decision, attached tasks and outputs, return line. */
export function executionFlow(config: WorkflowConfig): string {
  if (config.profile === 'router') return config.phases.map((phase) => modeFlow(config, phase)).join('\n\n');
  const blocks = config.phases.map((phase) => phaseFlow(config, phase));
  return `\`\`\`text\nInput Parsing\n   └─ Convert user input to GOAL / SCOPE / CONTEXT\n\n${blocks.join('\n\n')}\n\nReturn:\n   └─ Summary with the outputs of every phase\n\`\`\``;
}

function phaseFlow(config: WorkflowConfig, phase: PhaseConfig): string {
  const { number, name, condition, runsWhen } = phase;
  const details = detailLines(phase);
  if (condition === undefined) {
    const rest = details.map((line, index) => `      ${index === details.length - 1 ? '└─' : '├─'} ${line}`);
    const when = runsWhen === undefined ? [] : [`   ├─ Runs when: ${runsWhen}`];
    return [`Phase ${number}: ${name}`, ...when, `   └─ Ref: ${phasePath(phase)}`, ...rest].join('\n');
  }
  return [
    `Phase ${number}: ${name}`,
    `   └─ Condition: ${condition}`,
    `      ├─ met → Ref: ${phasePath(phase)}`,
    ...details.map((line) => `      │     ${line}`),
    `      └─ not met → mark it skipped, ${skipTarget(config, phase)}`,
  ].join('\n');
}

/** T-09: a skip leads to the next phase, whose own condition is evaluated there; after the last one to the end. */
function skipTarget({ phases }: WorkflowConfig, { number }: PhaseConfig): string {
  const next = phases.find((phase) => phase.number === number + 1);
  if (next === undefined) return 'go to the return step';
  return next.isConditional
    ? `skip to Phase ${next.number} and evaluate its condition`
    : `skip to Phase ${next.number}`;
}

function detailLines({ todoWriteSubTasks, outputVariables, outputFiles }: PhaseConfig): string[] {
  const outputs = [...outputVariables, ...outputFiles];
  return [
    ...(todoWriteSubTasks.length > 0 ? [`Tasks attached: ${todoWriteSubTasks.join(' → ')}`] : []),
    ...(outputs.length > 0 ? [`Output: ${outputs.join(', ')}`] : []),
  ];
}

function modeFlow(config: WorkflowConfig, phase: PhaseConfig): string {
  const target = config.phases.find(({ number }) => number === phase.handsOverTo);
  return [
    `### ${phase.name} Mode`,
    '',
    '1. Collect preferences, structure the input',
    `2. Read [${phasePath(phase)}](${phasePath(phase)}) and run it`,
    ...(target === undefined
      ? ['3. Return the summary']
      : [`3. The phase hands over to ${phasePath(target)} directly`, '4. Return the summary']),
  ].join('\n');
}

const autoQuestion: QuestionConfig = {
  key: 'autoYes',
  question: 'Skip all confirmations?',
  header: 'Auto Mode',
  options: [
    { label: 'Interactive (Recommended)', description: 'Confirm at every decision' },
    { label: 'Auto', description: 'Take defaults and do not ask' },
  ],
  activeValue: 'Auto',
};

/** S-054: flags by whole words, else questions; every path sets every key. Answers are keyed by our own keys (C-12). */
export function preferenceSection(config: WorkflowConfig): string | undefined {
  const { features, preferenceQuestions, profile } = config;
  const questions = [...(features.hasAutoMode ? [autoQuestion] : []), ...preferenceQuestions];
  if (questions.length === 0) {
    return profile === 'router'
      ? 'This skill has no preferences; `workflowPreferences` is empty.'
      : undefined;
  }
  const defaults = questions.map((question) => `${question.key}: ${defaultOf(question)}`);
  const auto = questions.map(
    (question) => `${question.key}: ${question.key === 'autoYes' ? 'true' : defaultOf(question)}`,
  );
  const chosen = questions.map(({ key, activeValue }) =>
    activeValue === undefined ? `${key}: answers.${key}` : `${key}: answers.${key} === ${quote(activeValue)}`,
  );
  const ask = chunks(questions, 4).map((part, index) => {
    const name = index === 0 ? 'answers' : `answers${index + 1}`;
    return `  const ${name} = AskUserQuestion({\n    questions: [\n${part.map(renderQuestion).join(',\n')}\n    ]\n  })`;
  });
  const assignment = chosen.map((line, index) =>
    index < 4 ? line : line.replace('answers.', `answers${Math.floor(index / 4) + 1}.`),
  );
  const branch = features.hasAutoMode
    ? [
        '// Whole words outside quotes and before "--" only; the rest is the task.',
        'const words = splitWords($ARGUMENTS)',
        "const autoYes = words.flags.some((word) => word === '-y' || word === '--yes')",
        '',
        'if (autoYes) {',
        `  workflowPreferences = { ${auto.join(', ')} }`,
        '} else {',
        ...ask,
        `  workflowPreferences = { ${assignment.join(', ')} }`,
        '}',
      ]
    : [
        ...ask.map((block) => block.replace(/^ {2}/gm, '')),
        `workflowPreferences = { ${assignment.join(', ')} }`,
      ];
  return [
    'Before the first phase, and only here:',
    '',
    `\`\`\`javascript\n${branch.join('\n')}\n\`\`\``,
    '',
    `Answers are keyed by the question's own key, without recommendation marks. Without an answer, the defaults are \`{ ${defaults.join(', ')} }\`. Phases read them as \`workflowPreferences.<key>\`.`,
  ].join('\n');
}

function defaultOf({ activeValue, options }: QuestionConfig): string {
  return activeValue === undefined
    ? quote((options[0]?.label ?? '').replace(/\s*\(Recommended\)/i, ''))
    : 'false';
}

function renderQuestion({ key, question, header, options }: QuestionConfig): string {
  const rows = options.map(
    ({ label, description }) => `          { label: ${quote(label)}, description: ${quote(description)} }`,
  );
  return [
    '      {',
    `        key: ${quote(key)},`,
    `        question: ${quote(question)},`,
    `        header: ${quote(header)},`,
    '        multiSelect: false,',
    `        options: [\n${rows.join(',\n')}\n        ]`,
    '      }',
  ].join('\n');
}

function quote(text: string): string {
  return JSON.stringify(text.replaceAll('`', "'"));
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

type Item = { content: string; status: string; activeForm: string };

/** S-012: the list at the start, and for a phase with sub-tasks the attached and the collapsed view. */
export function todoSection({ phases }: WorkflowConfig, { todo }: Tools): string {
  const start = phases.map((phase, index) => phaseItem(phase, index === 0 ? 'in_progress' : 'pending'));
  const rich = phases.find(({ todoWriteSubTasks }) => todoWriteSubTasks.length > 0);
  const mapping =
    todo === 'TodoWrite'
      ? 'A todo write replaces the whole list: every call carries all phase items.'
      : 'Each item is a task: create all phase items first, then update their status one by one.';
  return [
    `${mapping} Exactly one phase is in_progress; a phase whose condition is not met is marked skipped.`,
    fence('At the start:', start),
    ...(rich === undefined
      ? []
      : [
          fence(`Phase ${rich.number} starts, sub-tasks attached:`, attached(phases, rich)),
          fence(`Phase ${rich.number} ends, collapsed:`, collapsed(phases, rich)),
        ]),
  ].join('\n\n');
}

function phaseItem({ number, name }: PhaseConfig, status: string): Item {
  return { content: `Phase ${number}: ${name}`, status, activeForm: `Running Phase ${number}` };
}

function statusBefore(phase: PhaseConfig, active: PhaseConfig): string {
  return phase.number < active.number ? 'completed' : 'pending';
}

function attached(phases: readonly PhaseConfig[], active: PhaseConfig): Item[] {
  return phases.flatMap((phase) => {
    if (phase !== active) return [phaseItem(phase, statusBefore(phase, active))];
    const tasks = active.todoWriteSubTasks.map((task, index) => ({
      content: `  → ${task}`,
      status: index === 0 ? 'in_progress' : 'pending',
      activeForm: `Working on ${task}`,
    }));
    return [phaseItem(phase, 'in_progress'), ...tasks];
  });
}

function collapsed(phases: readonly PhaseConfig[], done: PhaseConfig): Item[] {
  return phases.map((phase) => {
    if (phase.number === done.number) return phaseItem(phase, 'completed');
    return phaseItem(phase, phase.number === done.number + 1 ? 'in_progress' : statusBefore(phase, done));
  });
}

function fence(title: string, items: readonly Item[]): string {
  return `${title}\n\n\`\`\`json\n[\n${items.map((item) => `  ${JSON.stringify(item)}`).join(',\n')}\n]\n\`\`\``;
}
