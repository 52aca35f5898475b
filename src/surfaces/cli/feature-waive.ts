import { CharretteError } from '../../base/errors.ts';
import type { CommandResult, CommandSpec, Invocation } from '../../service/command.ts';
import { findProject } from '../../service/project.ts';
import {
  isSerious,
  latestReviews,
  type ReviewRecord,
  readReviews,
} from '../../workflows/feature/rules/history.ts';
import { addWaiver, readWaivers, removeWaiver, type Waiver } from '../../workflows/feature/rules/waivers.ts';
import { featureOf, featureOptions } from './prompt-input.ts';

export const featureIssuesCommand: CommandSpec = {
  examples: [
    ['charrette feature issues', 'of the active feature'],
    ['charrette feature issues --feature 007 --json', 'for a program'],
  ],
  options: featureOptions,
  dryRun: 'reads',
  run: runIssues,
};

export const featureWaiveCommand: CommandSpec = {
  examples: [
    ['charrette feature waive 3f2a90c1d4e5b607 --reason "out of scope, see 012"', 'by its fingerprint'],
    ['charrette feature waive 3f2a --remove', 'the issue counts again'],
  ],
  arguments: [['<fingerprint>', 'from `charrette feature issues`; its beginning is enough']],
  options: [
    ...featureOptions,
    { flags: '--reason <text>', description: 'why the issue is accepted' },
    { flags: '--by <name>', description: 'who accepts it' },
    { flags: '--remove', description: 'take the waiver back' },
  ],
  dryRun: 'says',
  run: runWaive,
};

type Listed = ReviewRecord['issues'][number];

async function runIssues(invocation: Invocation): Promise<CommandResult> {
  const directory = await featureOf(invocation);
  const reviews = latestReviews(await readReviews(findProject(invocation.global.cwd), directory));
  const waivers = await readWaivers(directory);
  const reasons = new Map(waivers.map((waiver) => [waiver.fingerprint, waiver.reason]));
  const listed = reviews.map((review) => ({
    ...review,
    issues: review.issues.map((issue) => ({ ...issue, waived: reasons.has(issue.fingerprint) })),
  }));
  const text =
    listed.length === 0
      ? 'Nothing was reviewed yet.\n'
      : `${listed.map((review) => renderReview(review, reasons)).join('\n')}\n`;
  return { exit: 0, text, json: { reviews: listed, waivers } };
}

function renderReview(review: ReviewRecord, reasons: ReadonlyMap<string, string>): string {
  const { command, role, iteration, reviewer, gate, reason: why, issues } = review;
  const lines = issues.map((issue) => {
    const reason = reasons.get(issue.fingerprint);
    const place = issue.location === undefined ? '' : ` (at: ${issue.location})`;
    const waived = reason === undefined ? '' : ` — waived: ${reason}`;
    return `  ${issue.fingerprint}  [${issue.severity}] ${issue.description}${place}${waived}`;
  });
  const said = typeof why === 'string' ? ` (${why})` : '';
  return [
    `${command} ${role}, iteration ${iteration}: reviewer ${reviewer}, gate ${gate}${said}`,
    ...lines,
  ].join('\n');
}

async function runWaive(invocation: Invocation): Promise<CommandResult> {
  const { arguments: words, options, global } = invocation;
  const directory = await featureOf(invocation);
  const wanted = String(words[0]).toLowerCase();
  if (!/^[0-9a-f]{4,16}$/.test(wanted)) {
    throw new CharretteError({
      code: 'usage',
      message: `Invalid fingerprint ${JSON.stringify(words[0])}; expected 4 to 16 hexadecimal digits.`,
      fix: 'Take it from `charrette feature issues`.',
    });
  }
  if (options['remove'] === true) return takeBack(directory, wanted, global.dryRun);
  const reason = String(options['reason'] ?? '').trim();
  if (reason === '') {
    throw new CharretteError({
      code: 'usage',
      message: 'A waiver needs a reason.',
      fix: 'Say --reason "why the issue is accepted".',
    });
  }
  const issues = (await readReviews(findProject(global.cwd), directory)).flatMap((review) => review.issues);
  const issue = onlyOne(issues, wanted);
  const waiver: Waiver = {
    fingerprint: issue.fingerprint,
    reason,
    issue: issue.description.slice(0, 500),
    time: new Date().toISOString(),
    ...(typeof options['by'] === 'string' ? { by: options['by'] } : {}),
  };
  if (!global.dryRun) await addWaiver(directory, waiver);
  const note = isSerious(issue) ? '' : ' (a suggestion; it held nothing up)';
  return {
    exit: 0,
    text: `${global.dryRun ? 'would waive' : 'waived'} ${issue.fingerprint}: ${issue.description}${note}\n`,
    json: { waiver, dryRun: global.dryRun },
  };
}

async function takeBack(directory: string, wanted: string, dryRun: boolean): Promise<CommandResult> {
  const known = await readWaivers(directory);
  const found = known.filter(({ fingerprint }) => fingerprint.startsWith(wanted));
  const [only] = found;
  if (only === undefined || found.length > 1) throw notOne(wanted, known, found.length);
  if (!dryRun) await removeWaiver(directory, only.fingerprint);
  return {
    exit: 0,
    text: `${dryRun ? 'would take back' : 'took back'} the waiver of ${only.fingerprint}\n`,
    json: { removed: only.fingerprint, dryRun },
  };
}

function onlyOne(issues: readonly Listed[], wanted: string): Listed {
  const found = new Map(
    issues
      .filter(({ fingerprint }) => fingerprint.startsWith(wanted))
      .map((issue) => [issue.fingerprint, issue]),
  );
  const [only] = found.values();
  if (only === undefined || found.size > 1) throw notOne(wanted, issues, found.size);
  return only;
}

function notOne(wanted: string, known: readonly { fingerprint: string }[], found: number): CharretteError {
  const all = [...new Set(known.map(({ fingerprint }) => fingerprint))];
  const there = all.length === 0 ? 'there are none' : `there are ${all.slice(-10).join(', ')}`;
  return new CharretteError({
    code: found > 1 ? 'usage' : 'not-found',
    message:
      found > 1
        ? `${wanted} is the beginning of ${found} fingerprints.`
        : `No issue has the fingerprint ${wanted}; ${there}.`,
    fix: 'Take it from `charrette feature issues`.',
  });
}
