import type { QuestionConfig, WorkflowConfig } from '../config/workflow-config.ts';

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
    `Answers are keyed by the question's own key, without recommendation marks. Where nobody answers, the defaults are \`{ ${defaults.join(', ')} }\`. Phases read them as \`workflowPreferences.<key>\`.`,
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
