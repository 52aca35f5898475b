import path from 'node:path';
import { headline, untrustedLine } from '../../base/text/strings.ts';
import { readEvents } from '../../engine/event-log.ts';
import { costsBy, describeMoney, readLedger, totalsOf } from '../../engine/ledger.ts';
import { readQuestions, unanswered } from '../../engine/question.ts';
import { isFinal, type RunRecord, readRunRecord } from '../../engine/run-record.ts';
import { listArtifacts, readArtifact } from '../../service/artifacts.ts';
import { type CommandSpec, runArgument, type Terminal } from '../../service/command.ts';
import { findRun, projectOf, settingsOf } from '../../service/project.ts';
import { type QueueFacts, refreshQueued } from '../../service/queue-facts.ts';
import { worktreesOf } from '../../service/remove.ts';
import { shownStatus, sleepText } from '../../service/runs.ts';
import { columns } from './help.ts';

function describeQueue({ state, worker, waits }: QueueFacts): string {
  const where = worker === undefined ? '' : ` in ${worker}`;
  return `${state}${where}${waits === undefined ? '' : `: ${waits}`}`;
}

export const command: CommandSpec = {
  examples: [
    ['charrette show', 'the latest run'],
    ['charrette show 4f2a90c1 --json', 'one run for a program'],
    ['charrette show 4f2a90c1 --artifact plan.txt', 'print one of its artifacts'],
  ],
  arguments: [runArgument],
  options: [{ flags: '--artifact <name>', description: 'print this artifact instead' }],
  dryRun: 'reads',
  async run(invocation) {
    const { arguments: words, options, global, terminal } = invocation;
    const project = projectOf(invocation);
    const directory = await findRun(project, words[0] as string | undefined);
    const queue = (await refreshQueued(project, [directory.id])).get(directory.id);
    const artifacts = await listArtifacts(directory);
    if (typeof options['artifact'] === 'string') {
      const text = await readArtifact(directory, options['artifact']);
      return { exit: 0, text, json: { run: directory.id, artifact: options['artifact'], text } };
    }
    const record = await readRunRecord(directory);
    const events = readEvents(directory.events);
    const lanes = events.filter((event) => event.type === 'lane-end');
    const questions = isFinal(record.status) ? [] : unanswered(readQuestions(directory));
    const ledger = readLedger(directory.ledger);
    const cost = totalsOf(ledger);
    const status = shownStatus(record, directory);
    const worktrees = await worktreesOf(directory);
    const result = {
      ...record,
      status,
      lanes,
      questions,
      artifacts,
      cost,
      worktrees,
      ...(queue === undefined ? {} : { queue: { ...record.queue, ...queue } }),
      directory: path.resolve(directory.root),
    };
    if (global.output !== 'text') return { exit: 0, json: result };
    const { prices } = await settingsOf(project);
    const [money] = costsBy(ledger, () => 'all', prices);
    const facts: [string, string][] = [
      ['run', directory.id],
      ['status', `${status}${record.error === undefined ? '' : `: ${untrustedLine(record.error.message)}`}`],
      ...(record.sleeping === undefined || isFinal(record.status)
        ? []
        : [['waits', untrustedLine(sleepText(record.sleeping))] as [string, string]]),
      ...(queue === undefined ? [] : [['queue', untrustedLine(describeQueue(queue))] as [string, string]]),
      ['workflow', record.workflow],
      ['title', untrustedLine(headline(record.title))],
      ['made', `${record.created}${record.ended === undefined ? '' : `, ended ${record.ended}`}`],
      ['base commit', record.baseCommit ?? 'none'],
      [
        'calls',
        `${cost.calls} (${cost.basis.measured} measured, ${cost.basis.estimated} estimated, ${cost.basis.unknown} unknown)`,
      ],
      ['tokens', `${cost.inputTokens} in, ${cost.outputTokens} out`],
      ['cost', money === undefined ? '$0' : describeMoney(money)],
      ['directory', directory.root],
    ];
    const section = (title: string, lines: string[]) => (lines.length === 0 ? [] : ['', title, ...lines]);
    const text = [
      ...columns(facts),
      ...section('Course', await course(events, record, terminal, global.color.stdout)),
      ...section('Worktrees', worktrees),
      ...section(
        'Artifacts',
        columns(artifacts.map((artifact) => [artifact.name, `${artifact.bytes} bytes`])),
      ),
      '',
    ].join('\n');
    return { exit: 0, text, json: result };
  },
};

/** The live view of the run: phases, all lanes, warnings, open questions with how to answer them. */
async function course(
  events: ReturnType<typeof readEvents>,
  { status }: RunRecord,
  { stdout, env }: Terminal,
  color: boolean,
): Promise<string[]> {
  const [{ pictureOf }, { emptyView, foldEvents }, { marksFor }, { default: colorsModule }] =
    await Promise.all([
      import('./live/picture.ts'),
      import('../../service/run-view.ts'),
      import('./live/marks.ts'),
      import('picocolors'),
    ]);
  const canvas = {
    columns: Math.max(20, (stdout.columns ?? 120) - 1),
    now: Date.now(),
    frame: 0,
    marks: marksFor(env),
    colors: colorsModule.createColors(color),
    final: true,
    allLanes: true,
  };
  const view = foldEvents(emptyView, events);
  // A run may have ended without a word of it among its events.
  const asked = isFinal(status) ? { ...view, questions: [], pause: undefined } : view;
  return pictureOf(asked, canvas).map(({ text }) => text);
}
