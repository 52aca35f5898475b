import path from 'node:path';
import { loadConfig } from '../config/config.ts';
import { costsBy, perAcceptedFinding } from '../engine/costs.ts';
import { readEvents } from '../engine/event-log.ts';
import { readLedger } from '../engine/ledger.ts';
import { readRunRecord } from '../engine/run-record.ts';
import { writeFileAtomic } from '../files/atomic.ts';
import { readTextFile } from '../files/bounded.ts';
import { acceptedCount, markdownReport } from '../report/markdown-report.ts';
import { listArtifacts } from './artifacts.ts';
import type { CommandSpec } from './command.ts';
import { findHome, findRun } from './project.ts';

export const command: CommandSpec = {
  name: 'report',
  summary: 'A run on one page: plan, debates, votes, cost per phase and seat',
  examples: [
    ['charrette report', 'the latest run, as Markdown on stdout'],
    ['charrette report 4f2a90c1 --out report.md', 'into a file'],
  ],
  arguments: [['[run]', 'run id, an unambiguous part of it, or latest']],
  options: [
    { flags: '--md', description: 'as Markdown (the default)' },
    { flags: '--out <file>', description: 'write it there instead of to stdout' },
  ],
  async run({ arguments: [name], options, global, terminal }) {
    const home = findHome(global.cwd);
    const directory = await findRun(home, name as string | undefined);
    const { config } = await loadConfig({ project: home.project, env: terminal.env, file: global.config });
    const artifacts: Record<string, string> = {};
    for (const artifact of await listArtifacts(directory))
      artifacts[artifact.name] = (await readTextFile(artifact.path)) ?? '';
    const ledger = readLedger(directory.ledger);
    const prices = config.prices;
    const record = await readRunRecord(directory);
    const text = markdownReport({
      record,
      events: readEvents(directory.events),
      ledger,
      artifacts,
      ...(prices === undefined ? {} : { prices }),
    });
    const accepted = acceptedCount(artifacts);
    const [total] = costsBy(ledger, () => 'all calls', prices);
    const json = {
      run: directory.id,
      status: record.status,
      phases: costsBy(ledger, ({ phase }) => phase, prices),
      seats: costsBy(ledger, ({ seat }) => seat, prices),
      agents: costsBy(ledger, ({ agent }) => agent, prices),
      acceptedFindings: accepted,
      ...(total === undefined || accepted === 0
        ? {}
        : { perAcceptedFinding: perAcceptedFinding(total, accepted) }),
    };
    if (typeof options['out'] !== 'string') return { exit: 0, text, json };
    const file = path.resolve(global.cwd, options['out']);
    await writeFileAtomic(file, text);
    return { exit: 0, text: `Wrote ${file}\n`, json: { ...json, file } };
  },
};
