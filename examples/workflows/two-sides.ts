import type {} from 'charrette/workflow';

export const meta = {
  name: 'two-sides',
  description: 'Looks at a question from the code and from the tests',
  phases: [{ title: 'Look' }],
};

phase('Look');
const answers = await parallel(
  ['the code', 'the tests'].map((part) => () => agent(`Look at ${part}: ${quote(args)}`, { label: part })),
);
log(answers.filter((answer) => answer !== null).join('\n\n'));
