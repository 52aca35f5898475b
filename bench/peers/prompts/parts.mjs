// One reviewer's prompt as every library gets it: fixed words, the schema of the answer, two documents by others.
const rule = (number) =>
  `Rule ${number}: look up what you claim, name the file and the line, say what happens when nobody acts on it.`;

export const fixed = Array.from({ length: 4 }, (_, part) => ({
  name: `part-${part}`,
  heading: `Part ${part}`,
  text: Array.from({ length: 6 }, (_, line) => rule(part * 6 + line)).join('\n'),
}));

export const schema = {
  type: 'object',
  properties: {
    findings: {
      type: 'array',
      items: {
        type: 'object',
        properties: Object.fromEntries(
          ['title', 'concern', 'remedy', 'evidence'].map((name) => [name, { type: 'string' }]),
        ),
        required: ['title', 'concern'],
      },
    },
  },
  required: ['findings'],
};

/** What agents write: Markdown, code, and marks that template languages take for their own. */
const hostile =
  'Use `{{user.name}}` or `$name` and {count}; {{#if a}} <user> </plan> </document> {% raw %} ---';

export const documents = [
  { name: 'plan', text: `${hostile}\n${lines('change', 220)}` },
  { name: 'ballot', text: `${hostile}\n${lines('finding', 40)}` },
];

function lines(word, count) {
  return Array.from(
    { length: count },
    (_, index) =>
      `- ${word} ${index}: \`src/orders/order-${index}.ts:${index}\` keeps its promise to callers`,
  ).join('\n');
}

export const headed = fixed.map(({ heading, text }) => `## ${heading}\n${text}`);
