import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { readEvents } from '../../engine/event-log.ts';
import { costsBy, type Price, perAcceptedFinding, readLedger } from '../../engine/ledger.ts';
import type { RunDirectory } from '../../engine/run-directory.ts';
import { type RunRecord, readRunRecord } from '../../engine/run-record.ts';
import { listArtifacts } from '../../service/artifacts.ts';
import { type CommandSpec, runArgument } from '../../service/command.ts';
import { resultDocumentsOf } from '../../service/documents.ts';
import { writeNamedFile } from '../../service/named-file.ts';
import { findRun, projectOf, settingsOf } from '../../service/project.ts';
import { acceptedCount, markdownReport, reportedArtifacts } from './markdown-report.ts';
import type { DocumentView } from './view/documents.ts';

export const command: CommandSpec = {
  examples: [
    ['charrette report', 'the latest run, as Markdown on stdout'],
    ['charrette report 4f2a90c1 --out report.md', 'into a file'],
    ['charrette report latest --html', 'one HTML file that needs no server and no network'],
  ],
  arguments: [runArgument],
  options: [
    { flags: '--md', description: 'as Markdown (the default)' },
    { flags: '--html', description: 'as one HTML file, the page of `charrette serve` with this run in it' },
    {
      flags: '--out <file>',
      description: 'write it there instead of to stdout (HTML: instead of to the run directory)',
    },
  ],
  dryRun: 'says',
  async run(invocation) {
    const { arguments: words, options, global } = invocation;
    const home = projectOf(invocation);
    const directory = await findRun(home, words[0] as string | undefined);
    const { prices } = await settingsOf(home);
    const html = options['html'] === true;
    if (html && options['md'] === true)
      throw new CharretteError({ code: 'usage', message: '--html and --md ask for different reports.' });
    const outFile = typeof options['out'] === 'string' ? path.resolve(global.cwd, options['out']) : undefined;
    const events = readEvents(directory.events);
    const { readRunFiles } = await import('./view/run-files.ts');
    const { artifacts } = await readRunFiles(directory, events);
    const ledger = readLedger(directory.ledger);
    const record = await readRunRecord(directory);
    const tooLarge = html ? [] : await tooLargeArtifacts(directory, record, artifacts);
    const text = html
      ? await htmlText(home.project, directory, prices)
      : markdownReport({
          record,
          events,
          ledger,
          artifacts,
          documents: await documentsOf(
            directory,
            record,
            path.dirname(outFile ?? path.join(home.project, 'report.md')),
          ),
          tooLarge,
          ...(prices === undefined ? {} : { prices }),
        });
    const accepted = acceptedCount(artifacts);
    const [total] = costsBy(ledger, () => 'all calls', prices);
    const json = {
      run: directory.id,
      status: record.status,
      ...(record.degraded === undefined ? {} : { degraded: record.degraded }),
      phases: costsBy(ledger, ({ phase }) => phase, prices),
      seats: costsBy(ledger, ({ seat }) => seat, prices),
      agents: costsBy(ledger, ({ agent }) => agent, prices),
      acceptedFindings: accepted,
      ...(tooLarge.length === 0 ? {} : { tooLarge }),
      ...(total === undefined || accepted === 0
        ? {}
        : { perAcceptedFinding: perAcceptedFinding(total, accepted) }),
    };
    if (outFile === undefined && !html) return { exit: 0, text, json };
    const file = outFile ?? directory.report;
    if (global.dryRun)
      return { exit: 0, text: `Would write ${file}\n`, json: { ...json, dryRun: true, file } };
    await writeNamedFile(file, text);
    return { exit: 0, text: `Wrote ${file}\n`, json: { ...json, file } };
  },
};

/** What belongs in the report, but was not read. */
async function tooLargeArtifacts(
  directory: RunDirectory,
  { workflow }: RunRecord,
  read: Readonly<Record<string, string>>,
): Promise<string[]> {
  const { largestDocument } = await import('./view/documents.ts');
  const documents = resultDocumentsOf(workflow).map(([, name]) => name);
  return (await listArtifacts(directory))
    .filter(({ name, bytes }) =>
      documents.includes(name)
        ? bytes > largestDocument
        : reportedArtifacts.includes(name) && !Object.hasOwn(read, name),
    )
    .map(({ name }) => name);
}

/** Pictures are named by their path relative to the report. */
async function documentsOf(
  directory: RunDirectory,
  record: RunRecord,
  folder: string,
): Promise<DocumentView[]> {
  const { documentViews } = await import('./view/documents.ts');
  const place = path.relative(folder, directory.artifacts).split(path.sep).join('/');
  return (await documentViews(directory, record)).map((document) => ({
    ...document,
    text: document.text.replaceAll('](screenshot-', `](${place}/screenshot-`),
  }));
}

/** The page is read and the views are made only for those who ask for them. */
async function htmlText(
  project: string,
  directory: RunDirectory,
  prices: Readonly<Record<string, Price>> | undefined,
): Promise<string> {
  const { htmlReport } = await import('./report-data.ts');
  const { reportData } = await import('./report-data.ts');
  const { pageFolder, readPageFile } = await import('./page-files.ts');
  const folder = pageFolder();
  const text = (name: string) => readPageFile(folder, name).toString('utf8');
  return htmlReport(await reportData(project, directory, prices), {
    script: text('app.js'),
    style: text('app.css'),
    font: readPageFile(folder, 'inter.woff2'),
    board: text('board.js'),
  });
}
