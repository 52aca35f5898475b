/**
 * `node bench/review.ts [--clean N] [--planted N] [--seed N]`: what a review keeps and drops, by number of reviewers, on
 * repositories with planted defects and on clean ones. The reviewers are scripts: each sees a defect with a fixed chance, raises
 * false findings with another one, a third of them with a made-up quote, and votes rightly with a third one. So this measures what
 * merge, evidence check and vote make of such reviewers, and says nothing about any model.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import type { ReviewFile } from '../src/workflows/review/report.ts';
import { table } from './calibration.ts';

/** How the scripted reviewers behave, as chances. */
const behaviour = { sees: 0.6, falsePerLine: 0.08, madeUp: 1 / 3, votesRightly: 0.85 } as const;

const defects: Readonly<Record<string, string>> = {
  'The last item is left out': '  for (let at = 0; at < list.length - 1; at += 1) visit(list[at]);',
  'The answer is not awaited': '  const saved = store.save(record).ok;',
  'The error is swallowed': '  try { await send(message); } catch {}',
  'The sign is wrong': '  return balance + withdrawal;',
  'Zero counts as missing': '  const limit = options.limit || 100;',
  'The query takes text of the user':
    '  return db.query("select * from users where name = \'" + name + "\'");',
};

const { values } = parseArgs({
  options: {
    answer: { type: 'string' },
    planted: { type: 'string', default: '4' },
    clean: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
  },
});

/** A number from 0 to 1 that depends on its words alone. */
function chance(...words: string[]): number {
  const digest = createHash('sha256').update(words.join('\0')).digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}

/** One call of a scripted reviewer. The seat counts too, so that two seats of one agent differ. */
async function answer(name: string): Promise<void> {
  const prompt = await text(process.stdin);
  const who = [name, process.env['CHARRETTE_SEAT'] ?? ''];
  const answers: Record<string, () => unknown> = {
    'change-review': () => ({ findings: findingsIn(prompt, who) }),
    'merge-findings': () => ({ clusters: clustersIn(prompt) }),
    vote: () => ({ votes: votesIn(prompt, who) }),
  };
  console.log(JSON.stringify(answers[process.env['CHARRETTE_TASK'] ?? '']?.() ?? {}));
}

function findingsIn(prompt: string, who: string[]): unknown[] {
  const [, file = ''] = /^\+\+\+ b\/(.*)$/m.exec(prompt) ?? [];
  const added = prompt
    .split('\n')
    .filter((line) => /^\+(?!\+\+)/.test(line))
    .map((line) => line.slice(1));
  const finding = (title: string, quote: string) => ({
    ...{ title, category: /user/.test(title) ? 'security' : 'correctness', severity: 'major', path: file },
    ...{ claim: title, consequence: 'Wrong results.', startLine: 1, endLine: 1, side: 'new', quote },
    ...{ suggestion: null, confidence: 75 },
  });
  return added.flatMap((line) => {
    const [title] = Object.entries(defects).find(([, bad]) => bad === line) ?? [];
    if (title !== undefined)
      return chance(...who, file, title) < behaviour.sees ? [finding(title, line)] : [];
    if (line.trim().length < 8 || chance(...who, file, line) >= behaviour.falsePerLine) return [];
    const isMadeUp = chance(...who, file, line, 'quote') < behaviour.madeUp;
    return [finding(`Suspicious: ${line.trim()}`, isMadeUp ? `${line} // not in the file` : line)];
  });
}

/** The same title means the same. */
function clustersIn(prompt: string): unknown[] {
  const items = [...prompt.matchAll(/^### (ITEM_\d+): (.*)$/gm)].map(([, id = '', title = '']) => ({
    id,
    title,
  }));
  const groups = Object.values(Object.groupBy(items, ({ title }) => title));
  return groups.map((group) => ({ ids: (group ?? []).map(({ id }) => id), title: null }));
}

function votesIn(prompt: string, who: string[]): unknown[] {
  return [...prompt.matchAll(/^### (FINDING_\d+): (.*)$/gm)].map(([, id = '', title = '']) => {
    const isRight = chance(...who, 'vote', title) < behaviour.votesRightly;
    return { id, vote: isRight === title in defects ? 'YES' : 'NO', reason: 'scripted' };
  });
}

/** A repository with one change of 40 lines, three of which are defects if it is planted. */
function makeRepository(
  folder: string,
  name: string,
  isPlanted: boolean,
): { project: string; planted: string[] } {
  const project = path.join(folder, name);
  mkdirSync(path.join(project, '.charrette'), { recursive: true });
  const git = (...words: string[]) => {
    const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com'];
    const { status, stderr } = spawnSync('git', [...who, ...words], { cwd: project, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  const command = (agent: string) => [
    process.execPath,
    import.meta.filename,
    '--answer',
    `${agent}${values.seed}`,
  ];
  const agents = Object.fromEntries(
    ['one', 'two', 'three'].map((id) => [id, { protocol: 'exec', command: command(id), family: id }]),
  );
  writeFileSync(path.join(project, '.charrette', 'config.json'), JSON.stringify({ detect: false, agents }));
  writeFileSync(path.join(project, '.charrette', '.gitignore'), '*\n');
  writeFileSync(path.join(project, 'README.md'), '# Shop\n');
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Begin');
  git('checkout', '--quiet', '-b', 'topic');
  const titles = Object.keys(defects).sort(
    (a, b) => chance(values.seed, name, a) - chance(values.seed, name, b),
  );
  const planted = isPlanted ? titles.slice(0, 3) : [];
  const lines = Array.from({ length: 40 }, (_, at) => {
    const title = at % 12 === 6 ? planted[Math.floor(at / 12)] : undefined;
    return title === undefined ? `  const ${name}${at} = read('${name}', ${at});` : (defects[title] ?? '');
  });
  writeFileSync(path.join(project, `${name}.mjs`), `${lines.join('\n')}\n`);
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Change');
  return { project, planted };
}

async function review(project: string, depth: string): Promise<ReviewFile> {
  const program = path.resolve(import.meta.dirname, '..', 'bin', 'charrette');
  const words = ['review', '--yes', '--depth', depth, '--format', 'json'];
  const env = { PATH: process.env['PATH'] ?? '', HOME: path.dirname(project) };
  const child = spawn(process.execPath, [program, ...words], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [printed, said] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (!printed.startsWith('{')) throw new Error(`${depth} in ${project}: ${said}`);
  return JSON.parse(printed) as ReviewFile;
}

async function measure(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-bench-review-'));
  try {
    const named = (count: string, prefix: string) =>
      Array.from({ length: Number(count) }, (_, at) => `${prefix}${at}`);
    const repositories = [
      ...named(values.planted, 'planted').map((name) => makeRepository(folder, name, true)),
      ...named(values.clean, 'clean').map((name) => makeRepository(folder, name, false)),
    ];
    const all = repositories.reduce((sum, { planted }) => sum + planted.length, 0);
    const rows: string[][] = [];
    for (const [depth, reviewers] of [
      ['solo', '1'],
      ['light', '2'],
      ['regular', '4'],
    ] as const) {
      const count = { found: 0, raised: 0, shown: 0, clean: 0 };
      for (const { project, planted } of repositories) {
        const { findings } = await review(project, depth);
        const shown = findings.filter(({ verdict }) => verdict === 'accepted' || verdict === 'disputed');
        count.found += planted.filter((title) => shown.some((each) => each.title === title)).length;
        const isFalse = ({ title }: { title: string }) => !planted.includes(title);
        count.raised += findings.filter(isFalse).length;
        count.shown += shown.filter(isFalse).length;
        count.clean += planted.length === 0 ? shown.length : 0;
      }
      const { found, raised, shown, clean } = count;
      rows.push([depth, reviewers, `${found}`, `${all - found}`, `${raised}`, `${shown}`, `${clean}`]);
    }
    console.log(`scripted reviewers: ${JSON.stringify(behaviour)}, seed ${values.seed}`);
    console.log(`${values.planted} repositories with 3 defects each, ${values.clean} clean ones\n`);
    const head = [
      'depth',
      'reviewers',
      'found',
      'missed',
      'false raised',
      'false shown',
      'of them in clean ones',
    ];
    console.log(table([head, ...rows]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (values.answer === undefined) await measure();
else await answer(values.answer);
