import path from 'node:path';
import { CharretteError } from '../../base/errors.ts';
import { githubAnnotations, sarifOf } from '../../base/text/annotations.ts';
import { version } from '../../base/version.ts';
import { type CommandResult, type CommandSpec, type Invocation, printNotice } from '../../service/command.ts';
import { findRun, type Project, projectOf } from '../../service/project.ts';
import { prepareReview, type ReviewRequest, readReview, reviewDepths } from '../../service/review.ts';
import { describeEstimate } from '../../workflows/design/depth.ts';
import { baselineFile, decisions, type Known, remember } from '../../workflows/review/baseline.ts';
import { bars } from '../../workflows/review/inputs.ts';
import {
  annotationsOf,
  nothingReviewed,
  type ReviewFile,
  renderNothing,
  renderReview,
  unmet,
} from '../../workflows/review/report.ts';
import { startCommand } from './conduct.ts';
import { positive, queueOptions } from './options.ts';

const accept: CommandSpec = {
  examples: [
    ['charrette review accept FINDING_2 --reason "the caller checks it"', 'of the latest review'],
    ['charrette review accept FINDING_1 --as false-positive --reason "no such path"', 'and why it is wrong'],
  ],
  arguments: [['<finding>', 'id of a finding: FINDING_2, or its fingerprint']],
  options: [
    { flags: '--reason <text>', description: 'why; kept in the baseline' },
    { flags: '--as <decision>', description: 'what it is', choices: decisions, default: 'accepted' },
    { flags: '--until <day>', description: 'the finding returns on this day: 2027-01-31' },
    { flags: '--run <run>', description: 'review that reported it (default: latest)' },
  ],
  dryRun: 'says',
  async run(invocation) {
    const { options, arguments: words, terminal } = invocation;
    const project = projectOf(invocation);
    const reason = options['reason'];
    if (typeof reason !== 'string' || reason.trim() === '')
      throw new CharretteError({ code: 'usage', message: '`review accept` needs --reason.' });
    const { findings: own, earlier = [] } = await reviewOf(project, options['run'] as string | undefined);
    const findings = [...own, ...earlier];
    const finding = findings.find(({ id, fingerprint }) => words[0] === id || words[0] === fingerprint);
    if (finding === undefined)
      throw new CharretteError({
        code: 'not-found',
        message: `The review has no finding ${String(words[0])}; it has ${findings.map(({ id }) => id).join(', ') || 'none'}.`,
      });
    const until = options['until'] as string | undefined;
    if (until !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(until))
      throw new CharretteError({
        code: 'usage',
        message: `--until is ${until}; expected a day such as 2027-01-31.`,
      });
    const { fingerprint, title } = finding;
    const known: Known = {
      ...{ fingerprint, reason: reason.trim(), title },
      decision: options['as'] as Known['decision'],
      who: terminal.env['USER'] ?? '',
      ...(until === undefined ? {} : { until }),
    };
    const file = path.relative(project.cwd, baselineFile(project.project));
    if (invocation.global.dryRun)
      return {
        exit: 0,
        json: { dryRun: true, ...known },
        text: `Would record in ${file}: ${title} (${known.decision}).\n`,
      };
    await remember(project.project, known);
    return {
      exit: 0,
      json: known,
      text: `${title}: ${known.decision}. Commit it with \`git add --force ${file}\`.\n`,
    };
  },
};

export const command: CommandSpec = {
  examples: [
    ['charrette review', 'this branch against the main branch'],
    ['charrette review --uncommitted', 'what is not committed yet, with untracked files'],
    ['charrette review main..topic --depth regular', 'these commits, by four reviewers'],
    ['charrette review docs/plan.md', 'a plan or another document'],
    ['charrette review --format sarif --fail-on blocking', 'for a program'],
  ],
  arguments: [
    ['[subject...]', 'branch, A..B, or a file; also branch NAME, plan FILE, doc FILE (default: this branch)'],
  ],
  options: [
    { flags: '--staged', description: 'review what is staged' },
    { flags: '--uncommitted', description: 'review everything that is not committed' },
    { flags: '--commits <range>', description: 'review the commits A..B' },
    { flags: '--base <revision>', description: 'what a branch is compared with (default: the main branch)' },
    { flags: '--since-last', description: 'review what came after the last review of the branch' },
    {
      flags: '--depth <depth>',
      description: 'one reviewer, two with a vote, or four with a vote',
      choices: Object.keys(reviewDepths),
      default: 'light',
    },
    {
      flags: '--panel <name>',
      description: 'choose the panel: built-in, or from the configuration',
      rare: true,
    },
    { flags: '--agents <list>', description: 'use these agents, comma-separated, in order of preference' },
    {
      flags: '--format <form>',
      description: 'form of the result',
      choices: ['pretty', 'json', 'sarif', 'github', 'markdown'],
      default: 'pretty',
    },
    {
      flags: '--fail-on <severity>',
      description: 'exit 6 for open findings of this severity or above',
      choices: bars,
      default: 'major',
    },
    {
      flags: '--max-usd <amount>',
      description: 'pause and ask when this much is spent',
      parse: positive('--max-usd'),
    },
    {
      flags: '--max-tokens <count>',
      description: 'pause and ask when this many tokens are used',
      parse: positive('--max-tokens'),
      rare: true,
    },
    {
      flags: '--accept-degraded',
      description: 'accept a result that fewer than two families reviewed or voted on',
      rare: true,
    },
    { flags: '--from-run <run>', description: 'reuse finished answers of an earlier review', rare: true },
    ...queueOptions,
  ],
  subcommands: {
    accept: {
      summary: 'Record that a finding is known, so that it is not repeated',
      load: async () => accept,
    },
  },
  dryRun: 'says',
  async run(invocation) {
    const { options, global, terminal, arguments: positional } = invocation;
    const words = (positional[0] as string[] | undefined) ?? [];
    const request = { ...(options as Partial<ReviewRequest>), words, consented: global.yes };
    const { frozen, warnings, ...run } = await prepareReview(projectOf(invocation), request);
    const { subject, estimate } = run.inputs;
    if (!global.quiet) for (const warning of warnings) printNotice(terminal, warning);
    const { files, leftOut } = frozen;
    if (files.length === 0) {
      const file = nothingReviewed(run.inputs, leftOut, new Date().toISOString().slice(0, 10));
      const { earlier } = file;
      const why = unmet(file);
      return {
        exit: why === undefined ? 0 : 6,
        json: { subject, leftOut, findings: [], ...(earlier === undefined ? {} : { earlier }) },
        text: formOf(invocation, file, renderNothing) ?? renderNothing(file),
      };
    }
    if (global.dryRun) {
      const reviewed = files.map(({ path: name }) => name);
      const text = `Would review ${subject.title}: ${reviewed.join(', ')}. ${describeEstimate(estimate)}\n`;
      return { exit: 0, json: { dryRun: true, subject, reviewed, leftOut, estimate }, text };
    }
    return inForm(invocation, await startCommand(quietFor(invocation), run));
  },
};

/** A form for programs is the only thing on stdout. */
function quietFor(invocation: Invocation): Invocation {
  const { global, options } = invocation;
  return options['format'] === 'pretty'
    ? invocation
    : { ...invocation, global: { ...global, output: 'json' } };
}

async function inForm(invocation: Invocation, result: CommandResult): Promise<CommandResult> {
  const run = (result.json as { run?: string } | undefined)?.run;
  if (run === undefined) return result;
  const file = await readReview(projectOf(invocation), run);
  if (file === undefined) return result;
  const text = formOf(invocation, file, renderReview);
  return {
    ...result,
    json: { ...(result.json as object), review: file },
    ...(text === undefined ? {} : { text }),
  };
}

/** The form of the result that was asked for; `pretty` is none of its own. */
function formOf(
  { options }: Invocation,
  file: ReviewFile,
  markdown: (file: ReviewFile) => string,
): string | undefined {
  const forms: Record<string, () => string> = {
    json: () => `${JSON.stringify(file, null, 2)}\n`,
    markdown: () => markdown(file),
    github: () => githubAnnotations(annotationsOf(file)),
    sarif: () => `${JSON.stringify(sarifOf(annotationsOf(file), tool), null, 2)}\n`,
  };
  return forms[options['format'] as string]?.();
}

const tool = {
  name: 'charrette review',
  version,
  rule: (id: string) => ({ id, shortDescription: { text: `A finding about ${id.replace('review-', '')}.` } }),
};

async function reviewOf(project: Project, run: string | undefined): Promise<ReviewFile> {
  const { id } = await findRun(project, run);
  const file = await readReview(project, id);
  if (file !== undefined) return file;
  throw new CharretteError({
    code: 'not-found',
    message: `The run ${id} has no review.`,
    fix: 'Name a review with --run; `charrette runs` lists the runs.',
  });
}
