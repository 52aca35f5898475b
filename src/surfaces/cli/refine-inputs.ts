import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { parseDocument } from 'yaml';
import { thisWorld } from '../../agents/settings.ts';
import { loadConfig } from '../../base/config/config.ts';
import { CharretteError } from '../../base/errors.ts';
import { containedPath, readTextFile } from '../../base/files/bounded.ts';
import { isRecord, parseJson, readJson } from '../../base/safe-json.ts';
import { problemList, readAs } from '../../base/schema/primitives.ts';
import { refineProfileSchema } from '../../base/schema/refine-profile.ts';
import { yamlValue } from '../../base/text/frontmatter.ts';
import { joinTruncated, slugify } from '../../base/text/strings.ts';
import { ownFolder } from '../../prompts/context/defaults.ts';
import { contextWarnings, promptContext } from '../../prompts/context/for-prompt.ts';
import { readSettingsFile } from '../../prompts/context/settings.ts';
import { repositoryFacts } from '../../repo/git/repository-facts.ts';
import { type Invocation, printNotice } from '../../service/command.ts';
import { findProject } from '../../service/project.ts';
import {
  type BrandFile,
  type BrandReading,
  brandFolderOf,
  documentConflicts,
  readBrandFiles,
  readIdentity,
  requireBrand,
  tokenConflicts,
} from '../../workflows/refine/brand/identity.ts';
import { briefFromGoal, completeBrief } from '../../workflows/refine/rules/brief.ts';
import { type Criterion, criteriaOfDocument } from '../../workflows/refine/rules/contract.ts';
import { contractedCopy } from '../../workflows/refine/rules/measurement.ts';
import { type Profile, profiles } from '../../workflows/refine/rules/profiles.ts';
import { readCalibration } from '../../workflows/refine/rules/score.ts';
import {
  checkSettings,
  type HarnessLevel,
  negotiates,
  readImportSettings,
  readLoopSettings,
} from '../../workflows/refine/rules/settings.ts';
import type { RefineInputs } from '../../workflows/refine/run.ts';
import { rosterOf } from '../../workflows/roster.ts';

type FoundBrief = { id: string; title: string; text: string };

/** The brief: a named file, the words of the command line, or the last `brief/BRIEF-*.md` of the design folder. */
async function findBrief(
  {
    cwd,
    project,
    design,
    goal,
    file,
  }: { cwd: string; project: string; design: string | undefined; goal: string; file: string | undefined },
  brand: readonly BrandFile[],
): Promise<FoundBrief> {
  if (file === undefined && goal !== '')
    return { id: slugify(goal, 40), title: goal.split('\n')[0] ?? goal, text: briefFromGoal(goal, brand) };
  const place = file === undefined ? await lastBrief(project, design) : path.resolve(cwd, file);
  const text = place === undefined ? undefined : await readTextFile(place, 1_000_000);
  if (place === undefined || text === undefined) {
    throw new CharretteError({
      code: file === undefined ? 'usage' : 'not-found',
      message: file === undefined ? 'No goal and no brief given.' : `The brief ${file} does not exist.`,
      fix: 'Run `charrette refine "a page that …"`, or name a brief with --brief.',
    });
  }
  const id = path.basename(place).replace(/\.md$/i, '');
  const heading = /^# +(.+)$/m.exec(text)?.[1]?.trim();
  return { id: slugify(id, 60), title: heading ?? id, text: completeBrief(text, brand) };
}

async function lastBrief(project: string, design: string | undefined): Promise<string | undefined> {
  if (design === undefined) return undefined;
  const folder = await containedPath(project, path.join(design, 'brief'));
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^BRIEF-.*\.md$/.test(name)).sort();
  const last = names.at(-1);
  return last === undefined ? undefined : containedPath(project, path.join(design, 'brief', last));
}

/** A profile of the table by name, or one of the project's own in a JSON file. */
export async function findProfile(cwd: string, name: string): Promise<Profile> {
  const known = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (known !== undefined) return known;
  const text = name.endsWith('.json') ? await readTextFile(path.resolve(cwd, name), 1_000_000) : undefined;
  if (text === undefined) {
    throw new CharretteError({
      code: 'not-found',
      message: `Unknown profile ${JSON.stringify(name)}. Available: ${Object.keys(profiles).join(', ')}, or a .json file.`,
    });
  }
  const reading = readAs(refineProfileSchema, parseJson(text, name));
  if (reading.ok) {
    const { $schema: _, ...profile } = reading.value;
    return profile;
  }
  throw new CharretteError({
    code: 'config-invalid',
    message: `Invalid profile ${name}: ${problemList(reading.problems, 'it')}.`,
  });
}

export type RefineFlags = {
  brief?: string;
  artifact?: string;
  path?: 'code' | 'import';
  builder?: string;
  evaluator?: string;
  agents?: string;
  profile?: string;
  level?: HarnessLevel;
  contract?: boolean;
  threshold?: number;
  maxIterations?: number;
  strict?: boolean;
  brand?: boolean;
  merge?: boolean;
};

/** Everything about the project that a refinement needs to know before it starts. */
export async function refineInputs(
  goal: string,
  flags: RefineFlags,
  invocation: Invocation,
): Promise<RefineInputs> {
  const { global, terminal } = invocation;
  const project = findProject(global.cwd);
  const { config } = await loadConfig({ project, env: terminal.env, file: global.config });
  const repository = await repositoryFacts(project);
  if (repository.head === undefined) {
    throw new CharretteError({
      code: 'no-commits',
      message: `The repository ${repository.root} has no commit yet.`,
      fix: 'Commit once, then run the command again.',
    });
  }
  const source = await readSettingsFile(project);
  const { dir } = readImportSettings(source);
  const design = await ownFolder(project, dir);
  const textIn = async (name: string) =>
    design === undefined ? undefined : readTextFile(await containedPath(project, path.join(design, name)));
  const loop = readLoopSettings(source);
  const settings = checkSettings({
    ...loop,
    passThreshold: flags.threshold ?? loop.passThreshold,
    maxIterations: flags.maxIterations ?? loop.maxIterations,
    strict: flags.strict ?? loop.strict,
  });
  const reading = flags.brand === false ? undefined : await readBrandFiles(project, brandFolderOf(source));
  if (reading !== undefined) requireBrand(reading);
  const brief = await findBrief(
    { cwd: global.cwd, project, design, goal, file: flags.brief },
    reading?.files ?? [],
  );
  const artifact = flags.artifact ?? 'index.html';
  await containedPath(project, artifact);
  const tokens = jsonOf(await textIn('tokens.json'));
  const isImported = isRecord(tokens) && tokens['source'] === 'claude-design-bundle';
  const route = flags.path ?? (isImported ? 'import' : 'code');
  if (route === 'import' && !isImported)
    throw new CharretteError({
      code: 'not-found',
      message: `${dir} holds no imported design.`,
      fix: 'Run `charrette import BUNDLE` first, or use --path code.',
    });
  // An imported design brings its own specification; the documents are for designs that are made here.
  const about = { root: project, task: goal, home: terminal.env['HOME'] };
  const frontend = await promptContext({ ...about, consumer: 'frontend' });
  const evaluator = await promptContext({ ...about, consumer: 'evaluator' });
  for (const warning of contextWarnings([frontend, evaluator])) printNotice(terminal, `warning: ${warning}`);
  const isCode = route === 'code';
  const shown = frontend.references.filter(({ state }) => isCode && state !== 'dropped');
  const documents = await Promise.all(
    shown.map(async ({ token, absolute, offset }) => {
      const text = (await readTextFile(absolute, 64_000_000)) ?? '';
      return { token, text: offset === undefined ? text : [...text].slice(0, offset).join('') };
    }),
  );
  const contractId = brief.id;
  const earlier = await earlierStates(project, settings.contract.directory, contractId);
  const level = flags.level ?? 'standard';
  const only = flags.agents
    ?.split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return {
    title: brief.title,
    contractId,
    baseCommit: repository.head,
    project,
    roster: rosterOf(config, thisWorld(), only),
    parallel: config.limits?.parallel ?? 8,
    brief: brief.text,
    block: isCode ? frontend.text : '',
    references: isCode ? evaluator.text : '',
    documents: isCode
      ? frontend.references.map(({ token, state, offset, characters }) => ({
          token,
          state,
          ...(offset === undefined ? {} : { offset }),
          ...(characters === undefined ? {} : { characters }),
        }))
      : [],
    documentCriteria: documents.flatMap(({ token, text }) =>
      token === 'spec' ? criteriaOfDocument(text) : [],
    ),
    path: route,
    ...(isCode ? {} : { imported: await importedText(path.resolve(project, dir), textIn) }),
    copy: contractedCopy(jsonOf(await textIn('copy.json'))),
    ...(reading === undefined ? {} : { brand: brandOf(reading, documents, tokens) }),
    settings,
    profile: await findProfile(global.cwd, flags.profile ?? 'design'),
    negotiate: negotiates(level, flags.contract, settings),
    artifact,
    ...(flags.builder === undefined ? {} : { builder: flags.builder }),
    ...(flags.evaluator === undefined ? {} : { evaluator: flags.evaluator }),
    consented: global.yes || config.consent === true,
    merge: flags.merge !== false,
    earlier,
    calibration: readCalibration(
      jsonOf(
        await readTextFile(
          await containedPath(project, path.join(settings.contract.directory, 'calibration-log.json')),
        ),
      ),
    ),
  };
}

function brandOf(
  { files }: BrandReading,
  documents: readonly { token: string; text: string }[],
  tokens: unknown,
): NonNullable<RefineInputs['brand']> {
  const identity = readIdentity(files.find(({ name }) => name === 'visual-identity.md')?.text ?? '');
  return {
    identity,
    documentConflicts: documents.flatMap(({ token, text }) =>
      documentConflicts(identity, `${token}.md`, text),
    ),
    tokenConflicts: isRecord(tokens) ? tokenConflicts(identity, 'tokens.json', tokens) : [],
  };
}

/** What the builder of an imported design starts from. */
async function importedText(
  design: string,
  textIn: (name: string) => Promise<string | undefined>,
): Promise<string> {
  const parts = await Promise.all(
    ['tokens.json', 'components.json', 'copy.json'].map(async (name) => {
      const text = await textIn(name);
      return text === undefined ? '' : `${path.join(design, name)}:\n${text.trim()}`;
    }),
  );
  const assets = await assetsIn(path.join(design, 'assets'));
  return [...parts, ...assets].filter(Boolean).join('\n\n');
}

const mostAssets = 200;

/** Names the files of the bundle: a checkout may lack them, and agents read only named files. */
async function assetsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
  if (names.length === 0) return [];
  return [`${folder} (copy what the page uses to its folder):\n${joinTruncated(names, mostAssets)}`];
}

async function earlierStates(
  project: string,
  directory: string,
  id: string,
): Promise<RefineInputs['earlier']> {
  const file = await containedPath(project, path.join(directory, id, 'contract.yaml'));
  const text = await readTextFile(file, 4_000_000);
  if (text === undefined) return [];
  let value: unknown;
  try {
    const document = parseDocument(text, { logLevel: 'silent' });
    if (document.errors.length > 0) return [];
    value = yamlValue(document);
  } catch {
    return [];
  }
  const list = isRecord(value) && Array.isArray(value['criteria']) ? value['criteria'] : [];
  const states: readonly unknown[] = ['new', 'passed', 'failed', 'refined'];
  return list.flatMap((each) =>
    isRecord(each) &&
    typeof each['id'] === 'string' &&
    typeof each['criterion'] === 'string' &&
    states.includes(each['state'])
      ? [{ id: each['id'], criterion: each['criterion'], state: each['state'] as Criterion['state'] }]
      : [],
  );
}

function jsonOf(text: string | undefined): unknown {
  const reading = readJson(text ?? '');
  return reading.ok ? reading.value : undefined;
}
