import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { lstat, mkdir, open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { writeFileAtomic, writeJsonAtomic } from '../../base/files/atomic.ts';
import { containedPath, isMissing, readTextFile } from '../../base/files/bounded.ts';
import { isRecord, readJson } from '../../base/safe-json.ts';
import {
  defaultSettings,
  importedNames,
  info,
  type LogLine,
  settingsFile,
  settingsTemplate,
  warning,
} from './defaults.ts';
import { shippedScaffolds } from './placeholder.ts';

/** M-067: the reserved names that were reported, by path below the project. */
type Acknowledgements = Record<string, { sha256: string; acknowledged_at: string }>;

export const acknowledgementsFile = '.moai/state/reserved-acknowledged.json';

/** A missing or damaged ledger counts as empty: then every warning is repeated. */
async function readAcknowledgements(file: string): Promise<Acknowledgements> {
  const text = await readTextFile(file).catch(() => undefined);
  const reading = readJson(text ?? '');
  if (!reading.ok || !isRecord(reading.value)) return {};
  const entries = Object.entries(reading.value).flatMap(([path, entry]) => {
    if (!isRecord(entry) || typeof entry['sha256'] !== 'string') return [];
    const at = typeof entry['acknowledged_at'] === 'string' ? entry['acknowledged_at'] : '';
    return [[path, { sha256: entry['sha256'], acknowledged_at: at }] as const];
  });
  return Object.fromEntries(entries);
}

async function writeAcknowledgements(file: string, ledger: Acknowledgements): Promise<void> {
  await writeJsonAtomic(file, ledger);
}

/** M-065: names in the design folder that programs write, relative to it. A pattern's `*` stays within one folder. */
const reservedNames: readonly { name: string; matches: (relative: string) => boolean }[] = [
  ...['tokens.json', 'components.json', 'import-warnings.json', 'copy.json', 'path-selection.json'].map(
    (name) => ({
      name,
      matches: (relative: string) => relative === name,
    }),
  ),
  { name: 'brief/BRIEF-*.md', matches: (relative) => /^brief\/BRIEF-[^/]*\.md$/.test(relative) },
  { name: 'assets/', matches: (relative) => relative.startsWith('assets/') },
];

/** Whether a file of the design folder has a name that is kept for programs; `/` separates folders. */
export function isReserved(relative: string): boolean {
  return reservedNames.some(({ matches }) => matches(relative));
}

const maximumEntries = 100_000;

/** Files below a folder, relative with `/`, sorted; links count as files and are not followed. Empty when missing. */
export async function filesBelow(folder: string): Promise<string[]> {
  const files: string[] = [];
  const pending = [''];
  while (pending.length > 0 && files.length < maximumEntries) {
    const relative = pending.pop() ?? '';
    const entries = await readdir(path.join(folder, relative), { withFileTypes: true }).catch(
      (error: unknown) => {
        if (isMissing(error)) return [];
        throw error;
      },
    );
    for (const entry of entries) {
      const name = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (entry.isDirectory()) pending.push(name);
      else files.push(name);
    }
  }
  return files.sort();
}

/** M-068: hidden files (`.DS_Store`, `.gitkeep`) do not make a folder non-empty. */
export function isVisible(relative: string): boolean {
  return !relative.split('/').some((part) => part.startsWith('.'));
}

/** SHA-256 of a regular file's bytes; `undefined` for anything else, which is then never touched. */
async function hashFile(file: string): Promise<string | undefined> {
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined || !found.isFile()) return undefined;
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
}

async function exists(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => undefined)) !== undefined;
}

/** Writes a file that must not exist yet; never replaces one that appeared meanwhile. */
async function createFile(file: string, content: string): Promise<boolean> {
  const handle = await open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o644).catch(
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined;
      throw error;
    },
  );
  if (handle === undefined) return false;
  try {
    await handle.writeFile(content);
    return true;
  } finally {
    await handle.close();
  }
}

/** What set-up did, as paths below the project. */
export type FolderReport = {
  created: string[];
  /** Untouched scaffolds of an older version, brought up to date. */
  replaced: string[];
  /** M-064: files that the user changed; they stay. */
  kept: string[];
  log: LogLine[];
};

export type FolderOptions = {
  root: string;
  /** Say what would be done, do nothing. */
  dryRun?: boolean;
  /** With update: create the folder if it is missing. */
  create?: boolean;
  /** Repeat warnings that were acknowledged. */
  verbose?: boolean;
  /** A reserved name is an error, whatever was acknowledged. */
  strict?: boolean;
  now?: () => Date;
};

const folder = defaultSettings.dir;

/** M-060, M-066, M-068: creates the design folder; a folder with files does not change, a reserved name is an error. */
export async function initDesignFolder(options: FolderOptions): Promise<FolderReport> {
  const report: FolderReport = { created: [], replaced: [], kept: [], log: [] };
  const directory = await designDirectory(options.root);
  const files = await filesOfPeople(directory);
  const [collision] = files.filter(isReserved);
  if (collision !== undefined) throw reservedError([collision]);
  if (files.some(isVisible)) {
    report.log.push(warning(`${folder}/ already has files; skipped, nothing was changed`));
    return report;
  }
  await createMissing(options, report);
  return report;
}

/** M-064…M-067: brings untouched files up to date, restores missing ones, reports reserved names. */
export async function updateDesignFolder(options: FolderOptions): Promise<FolderReport> {
  const report: FolderReport = { created: [], replaced: [], kept: [], log: [] };
  const directory = await designDirectory(options.root);
  if (options.create !== true && !(await exists(directory))) {
    report.log.push(info(`${folder}/ does not exist; \`charrette init --design\` creates it`));
    return report;
  }
  const collisions = (await filesOfPeople(directory)).filter(isReserved);
  if (options.strict === true && collisions.length > 0) throw reservedError(collisions);
  await reportCollisions(collisions, options, report);
  await createMissing(options, report);
  for (const [name, content] of Object.entries(templates)) {
    const file = path.join(directory, name);
    const relative = `${folder}/${name}`;
    if (report.created.includes(relative)) continue;
    const hash = await hashFile(file);
    const shipped = (shippedScaffolds[name] ?? []).map(({ sha256 }) => sha256);
    if (hash === shipped.at(-1)) continue;
    if (hash === undefined || !shipped.includes(hash)) {
      report.kept.push(relative);
      continue;
    }
    if (options.dryRun !== true) await writeFileAtomic(file, content);
    report.replaced.push(relative);
  }
  return report;
}

/** What an import wrote under reserved names is where it belongs. */
async function filesOfPeople(directory: string): Promise<string[]> {
  const imported = await importedNames(directory);
  return (await filesBelow(directory)).filter((name) => !(isReserved(name) && imported.has(name)));
}

async function createMissing(options: FolderOptions, report: FolderReport): Promise<void> {
  const files: [string, string][] = [
    ...Object.entries(templates).map(([name, content]): [string, string] => [`${folder}/${name}`, content]),
    ...emptyFolders.map((name): [string, string] => [`${folder}/${name}/.gitkeep`, '']),
    [settingsFile, settingsTemplate],
  ];
  for (const [relative, content] of files) {
    const file = await containedPath(options.root, relative);
    if (await exists(file)) continue;
    if (relative.endsWith('/.gitkeep') && (await exists(path.dirname(file)))) continue;
    if (options.dryRun !== true) {
      await mkdir(path.dirname(file), { recursive: true });
      if (!(await createFile(file, content))) continue;
    }
    report.created.push(relative);
  }
}

/** M-066, M-067: reports each collision once per content; never touches the user's file. */
async function reportCollisions(collisions: readonly string[], options: FolderOptions, report: FolderReport) {
  const ledgerFile = await containedPath(options.root, acknowledgementsFile);
  const ledger = await readAcknowledgements(ledgerFile);
  const now = (options.now ?? (() => new Date()))().toISOString();
  let isChanged = false;
  for (const collision of collisions) {
    const relative = `${folder}/${collision}`;
    const sha256 = (await hashFile(path.join(options.root, relative))) ?? 'unreadable';
    const isKnown = ledger[relative]?.sha256 === sha256;
    if (!isKnown || options.verbose === true) {
      report.log.push(
        warning(`reserved filename: ${relative} (preserved; rename to use canonical templates)`),
      );
    }
    if (!isKnown) {
      ledger[relative] = { sha256, acknowledged_at: now };
      isChanged = true;
    }
  }
  if (isChanged && options.dryRun !== true) await writeAcknowledgements(ledgerFile, ledger);
}

/** The folder's path, after making sure that writing there stays inside the project. */
async function designDirectory(root: string): Promise<string> {
  const directory = await containedPath(root, folder);
  const found = await stat(directory).catch(() => undefined);
  if (found !== undefined && !found.isDirectory()) {
    throw new CharretteError({
      code: 'path-unsafe',
      message: `${folder} is a file; a folder of that name is needed.`,
      fix: `Move the file ${folder} away.`,
    });
  }
  return directory;
}

function reservedError(collisions: readonly string[]): CharretteError {
  return new CharretteError({
    code: 'reserved-name',
    message: collisions.map((name) => `error: reserved filename: ${folder}/${name}`).join('\n'),
    fix: 'Rename the file; programs write files of that name.',
  });
}

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
const emptyFolders = ['wireframes', 'screenshots'] as const;
