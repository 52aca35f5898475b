/** M-060…M-063: what set-up puts into the design folder. Prompts are comments, so an untouched file says nothing. */

type Entry = readonly [heading: string, hint: string, fields?: readonly string[]];

function template(title: string, sections: readonly Entry[]): string {
  const parts = sections.map(([heading, hint, fields]) => {
    const body = fields === undefined ? ['_TBD_'] : fields.map((field) => `- ${field}: _TBD_`);
    return [`## ${heading}`, '', `<!-- ${hint} -->`, '', ...body, ''].join('\n');
  });
  return [`# ${title}`, '', ...parts].join('\n');
}

const research = template('Research', [
  ['Research Scope', 'Which people, markets and problems were looked at, and which were left out?'],
  ['Competitor Analysis', 'Who solves this today, what do they do well, where do people give up?'],
  [
    'User Insights',
    'What people want to get done, what stops them, how they work around it.',
    ['Goals', 'Obstacles', 'Habits'],
  ],
  ['Patterns to Adopt', 'What others do that would help here, and why it fits.'],
  ['Anti-Patterns to Avoid', 'What was tried or seen and makes things worse.'],
  ['References', 'Links to the studies, recordings and articles behind the above.'],
]);

const system = template('System', [
  ['Design Intent', 'In three sentences at most: how should it feel to use this?'],
  ['Domain Vocabulary', 'The words of the field and what each means on screen.'],
  ['Craft Principles', 'Rules of quality that hold even under time pressure.'],
  ['Color Tokens', 'Names and values.', ['Primary', 'Background', 'Text']],
  ['Typography', 'Typeface, weight, size and line height of each role.', ['Headings', 'Body', 'Captions']],
  ['Spacing / Radius / Shadow', 'The scales in use.', ['Spacing', 'Radius', 'Shadow']],
  ['Iconography', 'Where icons come from and how large they are.', ['Library', 'Size']],
  ['Layout Rules', 'How pages are divided at each width.', ['Grid', 'Widest content', 'Breakpoints']],
  ['Motion', 'How long things move and along which curve.', ['Duration', 'Easing']],
  ['Keyboard Shortcuts', 'Keys that work everywhere.'],
  ['Accessibility', 'The target level and the rules that go beyond it.', ['Level', 'Contrast', 'Focus']],
]);

const spec = template('Spec', [
  ['Functional Inventory', 'Every page and feature that this work touches.'],
  ['Information Architecture', 'The pages, how they are grouped and how one gets from one to the next.'],
  [
    'Frame-by-Frame Redesign',
    'Repeat for each existing frame that changes.',
    ['Frame', 'Purpose', 'Interactions', 'Order of content'],
  ],
  ['New Frames', 'Repeat for each frame that does not exist yet.', ['Frame', 'Purpose', 'Reached from']],
  [
    'Empty State Design',
    'What is shown on first use, without results and after an error.',
    ['View', 'Message and action'],
  ],
  ['Implementation Priority', 'What comes first, and what depends on what.', ['First', 'Later']],
  ['Acceptance Criteria', 'Statements that can be checked when the work is done.'],
]);

const readme = `# Design documents

People write the documents in this folder. Before design work starts, the ones with content are put in front of the
prompt, as much as the token budget allows. Fill them in, in any order; a section that still says \`_TBD_\` is passed
on as it is, and a document that says nothing else is left out. Headings and quotes alone count as nothing.

| File             | Holds                                              |
| ---------------- | -------------------------------------------------- |
| \`spec.md\`        | what is to be designed: frames, states, acceptance |
| \`system.md\`      | colours, type, spacing, layout, motion             |
| \`research.md\`    | what is known about people and competitors         |
| \`pencil-plan.md\` | optional: drawing operations in batches            |
| \`wireframes/\`    | sketches                                           |
| \`screenshots/\`   | pictures of what exists                            |

Order of importance when not everything fits: spec.md > system.md > research.md > pencil-plan.md

Settings are in \`.moai/config/sections/design.yaml\`. \`charrette context --explain\` shows what would be passed on.

## Reserved names

Programs write these; do not use the names for documents of your own: \`tokens.json\`, \`components.json\`,
\`import-warnings.json\`, \`copy.json\`, \`path-selection.json\`, \`assets/\`, \`brief/BRIEF-*.md\`.
`;

/** File name below the design folder → content. */
export const templates: Readonly<Record<string, string>> = {
  'README.md': readme,
  'research.md': research,
  'system.md': system,
  'spec.md': spec,
};

/** M-060: folders that start out empty. */
export const emptyFolders = ['wireframes', 'screenshots'] as const;
