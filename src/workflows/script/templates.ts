/** What `workflow new` writes; plain JavaScript, which is TypeScript too. */
export const workflowTemplates = {
  plain: (name: string) => `export const meta = {
  name: '${name}',
  description: 'Answers a question about this repository',
  phases: [{ title: 'Answer' }],
};

phase('Answer');
const answer = await agent(\`Look at the code and answer: \${quote(args ?? 'What does this project do?')}\`, {
  label: 'answer',
});
return answer;
`,
  review: (name: string) => `export const meta = {
  name: '${name}',
  description: 'Several agents look for problems; a vote decides which are real',
  phases: [{ title: 'Look' }, { title: 'Vote' }],
};

const FINDINGS = {
  type: 'object',
  required: ['findings'],
  properties: {
    findings: {
      type: 'array',
      maxItems: 10,
      items: {
        type: 'object',
        required: ['where', 'problem'],
        properties: { where: { type: 'string' }, problem: { type: 'string' } },
      },
    },
  },
};

phase('Look');
const { answers, missing } = await panel(\`Find real problems in: \${quote(args ?? 'this repository')}\`, {
  seats: ['correctness', 'security', 'tests'],
  schema: FINDINGS,
});
if (missing.length > 0) log(\`\${missing.length} seats did not answer\`);

phase('Vote');
const findings = answers.flatMap(({ value }) => value.findings);
const { accepted, rejected } = await vote(findings, { question: 'Is this a real problem?' });
return { accepted, rejected: rejected.length };
`,
  debate: (name: string) => `export const meta = {
  name: '${name}',
  description: 'Two agents argue a decision and blind judges decide',
  phases: [{ title: 'Debate' }],
};

phase('Debate');
const { question, one, other } = Object(args);
const verdict = await debate(question ?? 'Which of the two?', { for: one ?? 'yes', against: other ?? 'no' });
return { winner: verdict.winner === null ? null : [one, other][verdict.winner], reason: verdict.reason };
`,
  research: (name: string) => `export const meta = {
  name: '${name}',
  description: 'Splits a question, answers its parts in parallel and joins them',
  phases: [{ title: 'Split' }, { title: 'Answer' }, { title: 'Join' }],
};

const QUESTIONS = {
  type: 'object',
  required: ['questions'],
  properties: { questions: { type: 'array', minItems: 1, maxItems: 5, items: { type: 'string' } } },
};

phase('Split');
const split = await agent(\`Split into at most five questions: \${quote(args ?? 'How does this project work?')}\`, {
  schema: QUESTIONS,
});

phase('Answer');
const parts = await parallel(
  split.questions.map((question) => () => agent(\`Look at the code and answer: \${quote(question)}\`)),
);

phase('Join');
return agent(\`Join these answers into one text: \${quote(parts.filter(Boolean))}\`);
`,
} as const;
