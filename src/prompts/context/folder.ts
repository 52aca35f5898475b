import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files/atomic.ts';
import { containedPath } from '../../base/files/contained.ts';
import { acknowledgementsFile, readAcknowledgements, writeAcknowledgements } from './acknowledgements.ts';
import { defaultSettings, settingsFile, settingsTemplate } from './defaults.ts';
import { createFile, exists, filesBelow, hashFile, isVisible } from './folder-files.ts';
import { importedNames } from './imported.ts';
import { shippedScaffolds } from './known-scaffolds.ts';
import { info, type LogLine, warning } from './log.ts';
import { isReserved } from './reserved.ts';
import { emptyFolders, templates } from './templates.ts';

/** What set-up did, as paths below the project. */
export type FolderReport = {
  created: string[];
  /** Untouched scaffolds of an older version, brought up to date. */
  replaced: string[];
  /** M-064: files a person changed, left as they are. */
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

/** M-060, M-066, M-068: creates the design folder; a folder with files is left alone, a reserved name is an error. */
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

/** M-066, M-067: each collision is said once per content; the person's file is never touched. */
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
