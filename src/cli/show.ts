import path from 'node:path';
import { readEvents } from '../engine/event-log.ts';
import { readLedger, totalsOf } from '../engine/ledger.ts';
import { readQuestions, unanswered } from '../engine/question.ts';
import { readRunRecord } from '../engine/run-record.ts';
import { formatElapsed } from '../text/elapsed.ts';
import { listArtifacts, readArtifact } from './artifacts.ts';
import type { CommandSpec } from './command.ts';
import { columns } from './help.ts';
import { findHome, findRun } from './project.ts';
import { shownStatus } from './run-list.ts';

export const command: CommandSpec = {
  name: 'show',
  summary: 'One run: status, lanes, open questions, artifacts, cost',
  examples: [
    ['charrette show', 'the latest run'],
    ['charrette show 4f2a90c1 --artifact plan.txt', 'print one of its artifacts'],
  ],
  arguments: [['[run]', 'run id, an unambiguous part of it, or latest']],
  options: [{ flags: '--artifact <name>', description: 'print this artifact instead' }],
  async run({ arguments: [name], options, global }) {
    const directory = await findRun(findHome(global.cwd), name as string | undefined);
    const artifacts = await listArtifacts(directory);
    if (typeof options['artifact'] === 'string') {
      const text = await readArtifact(directory, options['artifact']);
      return { exit: 0, text, json: { run: directory.id, artifact: options['artifact'], text } };
    }
    const record = await readRunRecord(directory);
    const lanes = readEvents(directory.events).filter((event) => event.type === 'lane-end');
    const questions = unanswered(readQuestions(directory));
    const cost = totalsOf(readLedger(directory.ledger));
    const status = shownStatus(record);
    const rows: [string, string][] = [
      ['run', directory.id],
      ['status', `${status}${record.error === undefined ? '' : `: ${record.error.message}`}`],
      ['workflow', record.workflow],
      ['title', record.title],
      ['base commit', record.baseCommit ?? 'none'],
      [
        'calls',
        `${cost.calls} (${cost.basis.measured} measured, ${cost.basis.estimated} estimated, ${cost.basis.unknown} unknown)`,
      ],
      ['tokens', `${cost.inputTokens} in, ${cost.outputTokens} out`],
      ['directory', directory.root],
    ];
    const section = (title: string, lines: string[]) => (lines.length === 0 ? [] : ['', title, ...lines]);
    const text = [
      ...columns(rows),
      ...section(
        'Lanes',
        columns(
          lanes.map((lane) => [lane.lane, `${lane.agent} ${lane.kind} ${formatElapsed(lane.elapsedMs)}`]),
        ),
      ),
      ...section('Open questions', columns(questions.map((question) => [question.id, question.text]))),
      ...section(
        'Artifacts',
        columns(artifacts.map((artifact) => [artifact.name, `${artifact.bytes} bytes`])),
      ),
      '',
    ].join('\n');
    return {
      exit: 0,
      text,
      json: { ...record, status, lanes, questions, artifacts, cost, directory: path.resolve(directory.root) },
    };
  },
};
