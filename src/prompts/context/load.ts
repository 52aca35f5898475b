import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { scanLines } from '../../base/markdown/lines.ts';
import { estimateTenths } from '../../base/text/tokens.ts';
import {
  blockHeader,
  type DesignContext,
  type DocumentReader,
  type DocumentReading,
  directoryProblem,
  dropOnlyToken,
  type FileReport,
  info,
  isOutside,
  type Location,
  type LogLine,
  locate,
  logLines,
  type Mode,
  type Outcome,
  protectedToken,
  quote,
  readDocument,
  realPath,
  stat,
  warning,
} from './defaults.ts';
import {
  type BlockSection,
  type Candidate,
  imitatesOurs,
  type PackReport,
  packBrief,
  paddedQuarters,
  renderBlock,
} from './pack.ts';
import { isPlaceholderOnly } from './placeholder.ts';
import { parseBudget, readSettings, readSettingsFile } from './settings.ts';

/** Without one of these there is nothing to report, and a search for them is many times faster than a scan. */
const suspects = ['```', '~~~', '<!--', blockHeader, '> source: ', '> truncated: ', '> warnings: ['];

/** warnings about a document that is passed on unchanged. */
export function examine(token: string, text: string): LogLine[] {
  if (!suspects.some((suspect) => text.includes(suspect))) return [];
  let imitation: number | undefined;
  const end = scanLines(text, (_kind, start, lineEnd, _next, number) => {
    const code = text.charCodeAt(start);
    if (imitation === undefined && (code === 62 || code === 35)) {
      if (imitatesOurs(text.slice(start, Math.min(lineEnd, start + 300)))) imitation = number;
    }
    return true;
  });
  const log: LogLine[] = [];
  if (imitation !== undefined) {
    log.push(warning(`${token}: line ${imitation} looks like a line of the block itself`));
  }
  if (end.openFence)
    log.push(warning(`${token}: a code fence is never closed; no heading after it ends a section`));
  if (end.openComment)
    log.push(warning(`${token}: a comment is never closed; the rest of the file is inside it`));
  return log;
}

export type LoadOptions = {
  /** The project; relative folders start here. */
  root: string;
  /** Default `standalone`. */
  mode?: Mode;
  /** M-008: instead of the configured folder. On a person's word alone: only here the folder may lie outside of the project. */
  dir?: string;
  /** Instead of the configured budget. */
  budget?: number;
  /** `cut` is the rule; `drop` cuts only when a single document is left. */
  overflow?: 'cut' | 'drop';
  reader?: DocumentReader;
};

/**
 * The design documents of a project as one block under a budget, with a report on every file. M-049: a missing folder, a
 * missing or unreadable file, placeholders and overflow are results. Only a wrong argument throws.
 */
export async function loadDesignContext(options: LoadOptions): Promise<DesignContext> {
  const { root, mode = 'standalone', overflow = 'cut', reader = readDocument } = options;
  checkArguments(options);
  const { settings, log } = readSettings(await readSettingsFile(root));
  const budget = options.budget ?? settings.budget;
  const location = locate(path.resolve(root), options.dir ?? settings.dir);
  const finish = finisher({ mode, dir: location.cited, budget, overflow, log });

  // an opt-out does no I/O and prints nothing.
  if (mode === 'auto' && !settings.autoLoad) return finish('gate-closed', []);

  const directory = await realDirectory(location, log);
  if (directory === undefined) {
    log.push(info(logLines.notInitialized));
    return finish('folder-missing', []);
  }
  if (options.dir === undefined && (await isOutside(root, directory))) {
    log.push(warning(logLines.outside(location.cited, directory)));
    return finish('folder-missing', []);
  }
  // M-020, A-69: every read starts before the first is awaited.
  const readings = await Promise.all(settings.priority.map((token) => reader(directory, `${token}.md`)));
  const documents = settings.priority.map((token, index) => {
    const reading: DocumentReading = readings[index] ?? { state: 'absent' };
    return { token, path: citedPath(location, token), reading };
  });
  const candidates = documents.flatMap(({ token, reading }): Candidate[] => {
    if (reading.state !== 'text') return [];
    if (isPlaceholderOnly(token, reading.text)) {
      log.push(info(logLines.skipped(token)));
      return [];
    }
    log.push(...examine(token, reading.text));
    const { text, characters } = reading;
    const [isProtected, isIndivisible] = [token === protectedToken, token === dropOnlyToken];
    return [{ id: token, text, characters, isProtected, isIndivisible }];
  });
  const report = packBrief(candidates, { cap: budget, measure: paddedQuarters, overflow });
  const packed = new Map(report.items.map((item) => [item.id, item]));
  const sections = documents.map(({ token, path: cited, reading }): BlockSection => {
    const item = packed.get(token);
    return { file: fileReport(token, cited, reading, item), text: item?.text ?? '' };
  });
  const outcome = outcomeOf(sections.map(({ file }) => file));
  if (outcome === 'no-candidates') log.push(info(logLines.noCandidates(location.cited)));
  if (outcome === 'all-placeholders') log.push(info(logLines.allPlaceholders));
  return finish(outcome, sections, report);
}

function checkArguments({ dir, budget }: LoadOptions): void {
  const problem = dir === undefined ? undefined : directoryProblem(dir);
  if (problem !== undefined) {
    throw new CharretteError({
      code: 'usage',
      message: `The design folder ${quote(dir)} ${problem}.`,
      fix: 'Name a folder of this machine, relative to the project or absolute.',
    });
  }
  if (budget !== undefined && parseBudget(budget) === undefined) {
    throw new CharretteError({
      code: 'usage',
      message: `The budget ${quote(budget)} is not a positive whole number of tokens.`,
    });
  }
}

/** by stat, and a file of that name does not count. A-64: the folder itself may be a link. */
async function realDirectory({ absolute, cited }: Location, log: LogLine[]): Promise<string | undefined> {
  try {
    return (await stat(absolute)).isDirectory() ? await realPath(absolute) : undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') log.push(warning(`${cited} cannot be reached: ${code}`));
    return undefined;
  }
}

function citedPath({ cited }: Location, token: string): string {
  return `${cited}/${token}.md`;
}

function fileReport(
  token: string,
  cited: string,
  reading: DocumentReading,
  item: PackReport['items'][number] | undefined,
): FileReport {
  const file = { token, path: cited };
  if (reading.state === 'absent') return { ...file, state: 'absent' };
  if (reading.state === 'unreadable') return { ...file, state: 'unreadable', reason: reading.reason };
  const { characters } = reading;
  const sized = { ...file, characters, estimateTenths: estimateTenths(characters) };
  if (item === undefined) return { ...sized, state: 'skipped' };
  if (item.state === 'dropped') return { ...sized, state: 'dropped' };
  if (item.state === 'whole') return { ...sized, state: 'whole', offset: characters };
  return { ...sized, state: 'cut', offset: item.offset, ...(item.cutAt && { cutAt: item.cutAt }) };
}

/** reports "all are _TBD_" only when it is true. */
function outcomeOf(files: readonly FileReport[]): Outcome {
  const has = (...states: FileReport['state'][]) => files.some(({ state }) => states.includes(state));
  if (has('whole', 'cut', 'dropped')) return 'loaded';
  if (has('unreadable')) return 'nothing-readable';
  return has('skipped') ? 'all-placeholders' : 'no-candidates';
}

function finisher(about: {
  mode: Mode;
  dir: string;
  budget: number;
  overflow: 'cut' | 'drop';
  log: LogLine[];
}) {
  return (outcome: Outcome, sections: readonly BlockSection[], report?: PackReport): DesignContext => {
    const files = sections.map(({ file }) => file);
    const shown = sections.filter(({ file }) => file.state === 'whole' || file.state === 'cut');
    const unreadable = files.filter(({ state }) => state === 'unreadable');
    return {
      outcome,
      mode: about.mode,
      dir: about.dir,
      budget: {
        tokens: about.budget,
        rule: paddedQuarters.rule,
        overflow: about.overflow,
        usedTenths: 11 * (report?.used ?? 0),
        wantedTenths: 11 * (report?.items.reduce((sum, { size }) => sum + size, 0) ?? 0),
      },
      files,
      log: about.log,
      text: outcome === 'gate-closed' ? '' : renderBlock(shown, unreadable),
    };
  };
}
