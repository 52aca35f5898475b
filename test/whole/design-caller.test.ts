import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TokenRow, tokenLedgerName } from '../../src/workflows/design/ledgers.ts';
import { type Walk, walk } from '../support/design-walk.ts';
import { charrette } from '../support/program.ts';

describe('a run that a caller started', () => {
  let run: Walk;
  let caller: string;
  const manifestLines = async (directory: string) => {
    const ended = await charrette(['plan', 'manifest', directory], { cwd: run.project });
    expect(ended.code).toBe(0);
    return ended.stdout;
  };

  beforeAll(async () => {
    caller = mkdtempSync(path.join(tmpdir(), 'charrette-caller-'));
    mkdirSync(path.join(caller, 'design-export'));
    writeFileSync(path.join(caller, 'design-export', 'manifest.env'), 'MANIFEST_VERSION=1\n');
    mkdirSync(path.join(caller, 'timing-ledger.tsv'));
    writeFileSync(path.join(caller, 'session-id'), 'parent-session\n');
    writeFileSync(path.join(caller, 'oos-accepted-design.md'), '### OOS_1: of an earlier run\n');
    writeFileSync(path.join(caller, 'session.env'), 'TWO_HEALTHY=false\nCODEX_HEALTHY=false\n');
    run = await walk(['--session-env', path.join(caller, 'session.env'), '--step-prefix', '1.::design plan']);
  });

  test('L-008, L-031, L-046, L-048, L-846, panel/C-01, panel/C-12: numbers come from the prefix, bodies stay in files, no final line', () => {
    expect(run.ended.code).toBe(0);
    expect(run.ended.stderr).toContain('> **🔶 1.2a: design plan | sketches**');
    expect(run.ended.stderr).toContain('✅ 1.2b: design plan | full plan — saved');
    expect(run.ended.stderr).not.toContain('design complete!');
    expect(run.ended.stdout).not.toContain('## Implementation Plan');
    for (const line of [
      '1.2a: design plan | sketches — synthesis saved',
      '1.3b: design plan | arch diagram — saved',
      '1.4: design plan | rejected findings — saved',
    ])
      expect(run.ended.stderr).toContain(`✅ ${line} (`);
  });

  test('L-049: every body stays in its file, to the last line', () => {
    expect(run.ended.stdout).toBe('');
    const bodies = Object.values(run.artifacts).flatMap((text) => text.split('\n'));
    const said = new Set(run.ended.stderr.split('\n'));
    expect(bodies.filter((line) => line.length > 40 && said.has(line))).toEqual([]);
  });

  test('L-100: a ledger that cannot be written is a warning and changes nothing', () => {
    expect(run.ended.stderr).toContain('The ledgers were not written:');
    expect(run.artifacts['plan.txt']).toContain('The limit comes from the configuration.');
  });

  test('L-692, L-790, L-796, L-842, panel/C-17: the manifest is new and names the exported plan', () => {
    const manifest = readFileSync(path.join(caller, 'design-export', 'manifest.env'), 'utf8');
    expect(manifest).toContain(`PLAN_FILE=${path.join(caller, 'design-export', 'plan.txt')}`);
    expect(existsSync(path.join(caller, 'design-export', 'manifest.env.stale'))).toBe(true);
    // L-692, L-796: observations of an earlier run are not handed over again, and the session is the caller's.
    expect(existsSync(path.join(caller, 'oos-accepted-design.md'))).toBe(false);
    expect(manifest).toContain('\nSESSION_ID=parent-session\n');
  });

  test('L-792, L-793, L-794, L-795, L-800, L-801, L-803, L-804, L-805: the manifest has its keys in order, and a caller’s reader accepts it', async () => {
    const folder = path.join(caller, 'design-export');
    const text = readFileSync(path.join(folder, 'manifest.env'), 'utf8');
    const keys = [
      'PLAN_FILE',
      'PLAN_REVIEW_TALLY_FILE',
      'CONTESTED_CRITERIA_FILE',
      'OOS_FILE',
      'REJECTED_FINDINGS_FILE',
      'ACCEPTED_PLAN_FINDINGS_FILE',
      'ARCHITECTURE_DIAGRAM_FILE',
    ];
    expect(text.match(/^[A-Z_]+(?==)/gm)).toEqual(['MANIFEST_VERSION', ...keys, 'TIMESTAMP', 'SESSION_ID']);
    const report = (await manifestLines(caller)).trimEnd().split('\n');
    expect(report[0]).toBe('MANIFEST_OK=true');
    expect(report.slice(1, -3).map((line) => line.split('=')[0])).toEqual(keys);
    expect(report.at(-1)).toBe('📥 1: design plan — manifest loaded (plan=plan.txt)');
    for (const line of report.slice(1, -3)) {
      const file = line.slice(line.indexOf('=') + 1);
      expect(path.dirname(file)).toBe(realpathSync(folder));
      expect(lstatSync(file).isFile(), file).toBe(true);
      expect(readFileSync(file, 'utf8')).toBe(run.artifacts[path.basename(file)]);
    }
    expect(readdirSync(caller).filter((name) => name.includes('.stage.'))).toEqual([]);
    expect(await manifestLines(path.join(caller, 'elsewhere'))).toBe(
      'MANIFEST_FAILED=true\nERROR=manifest-not-found\n',
    );
  });

  test('L-127, L-128, L-841, L-978, panel/C-02: writes health next to the session environment, also for agents that the caller asks about and we lack', () => {
    expect(readFileSync(path.join(caller, 'session.env.health'), 'utf8')).toBe(
      'CODEX_HEALTHY=false\nCURSOR_HEALTHY=false\nONE_HEALTHY=true\nTWO_HEALTHY=true\n',
    );
  });
});

test('L-580, L-720, L-740, L-871, L-872, L-874, L-880, L-881: a caller’s session names the token ledger and says where marks go', async () => {
  const caller = mkdtempSync(path.join(tmpdir(), 'charrette-caller-'));
  const ledger = path.join(caller, 'marks.tsv');
  writeFileSync(ledger, 'v1\tmark\t1\timplement\tStep 0\t-\t-\t-\t-\t-\t-\t-\t-\n');
  const session = path.join(caller, 'session.env');
  writeFileSync(session, `LARCH_TOKEN_SESSION_ID=parent-7\nLARCH_TIMING_LEDGER=${ledger}\n`);
  const { ended, root } = await walk(['--dialectic', 'advisory', '--session-env', session]);
  expect(ended.code).toBe(0);
  const rows = readFileSync(ledger, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  for (const cells of rows) expect(cells).toHaveLength(13);
  expect(rows[0]?.slice(1, 5)).toEqual(['mark', '1', 'implement', 'Step 0']);
  const cells = (type: string, column: number) =>
    rows.flatMap((row) => (row[1] === type ? [row[column]] : []));
  expect(cells('mark', 4)).toContain('design Step 3b — arch diagram');
  const kinds = cells('vendor', 6);
  expect(kinds).toEqual(
    expect.arrayContaining(['two-sketch-arch', 'one-plan-voter', 'one-judge', 'two-debate-thesis']),
  );
  const name = tokenLedgerName('parent-7');
  const tokens = readFileSync(path.join(caller, name), 'utf8');
  const spent = tokens
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as TokenRow);
  expect(new Set(spent.map((row) => Object.keys(row).join()))).toEqual(
    new Set(['type,step,ts', 'type,vendor,input,output,cache_read,cache_create,total,raw,ts']),
  );
  expect(readFileSync(path.join(root, name), 'utf8')).toBe(tokens);
  const marks = spent.flatMap((row) => (row.type === 'mark' ? [row.step] : []));
  expect(marks).toEqual([
    'Step 1 — design Step 3 plan review',
    'Step 1 — design Step 3.5 discussion r2',
    'Step 1 — design Step 3b arch diagram',
  ]);
});

test('L-842, L-847: a failed export is reported with the caller’s numbering, keeps everything, and the run is not accepted', async () => {
  const caller = mkdtempSync(path.join(tmpdir(), 'charrette-caller-'));
  writeFileSync(path.join(caller, 'design-export'), 'in the way');
  const session = path.join(caller, 'session.env');
  writeFileSync(session, '');
  const { ended, artifacts } = await walk([
    '--solo',
    '--session-env',
    session,
    '--step-prefix',
    '1.::design plan',
  ]);
  expect(ended.code).toBe(6);
  const said = ended.stderr.split('**⚠ 1.5: design plan | cleanup — design manifest export failed.');
  expect(said).toHaveLength(3);
  expect(said[0]).not.toContain('warning(s) of this run');
  expect(said[1]).toContain('warning(s) of this run');
  expect(artifacts['plan.txt']).not.toBe('');
});

test('L-253, L-263, L-264, panel/C-16, F-03: a worker that fails exports nothing, keeps its directory and says why', async () => {
  const caller = mkdtempSync(path.join(tmpdir(), 'charrette-caller-'));
  const session = path.join(caller, 'session.env');
  writeFileSync(session, '');
  mkdirSync(path.join(caller, 'design-export'));
  writeFileSync(path.join(caller, 'design-export', 'manifest.env'), 'MANIFEST_VERSION=1\n');
  const { ended, root } = await walk(['--subagent', '--session-env', session], { failTask: 'synthesis' });
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(
    /\*\*⚠ 2a: sketches — heavy worker subagent failed: author-failed\. No design manifest/,
  );
  expect(existsSync(path.join(caller, 'design-export', 'manifest.env'))).toBe(false);
  expect(existsSync(path.join(root, 'heavy', 'job.json'))).toBe(true);
});

test('L-114, L-911: an agent that the caller marks as down is neither asked nor used, and stays down in the report', async () => {
  const caller = mkdtempSync(path.join(tmpdir(), 'charrette-caller-'));
  const session = path.join(caller, 'session.env');
  writeFileSync(session, 'CODEX_HEALTHY=false\n');
  const { ended, root, events } = await walk(
    ['--quick', '--dialectic', 'off', '--session-env', session],
    {},
    (config) => ({
      ...config,
      agents: { one: config.agents['one'], codex: config.agents['two'] },
    }),
  );
  expect(ended.code).toBe(0);
  expect(ended.stderr).toContain(
    'Codex installed but not responding (health check failed: reported unhealthy by the caller)',
  );
  expect(new Set(events.flatMap((event) => (event.type === 'lane-start' ? [event.agent] : [])))).toEqual(
    new Set(['one']),
  );
  expect(existsSync(path.join(root, 'lanes', 'probe-codex'))).toBe(false);
  expect(readFileSync(`${session}.health`, 'utf8')).toBe(
    'CODEX_HEALTHY=false\nCURSOR_HEALTHY=false\nONE_HEALTHY=true\n',
  );
});

test('L-691, L-743, L-754, L-758, L-765: findings that are all voted down leave the plan as it was; a diagram that cannot be published is named by its token alone', async () => {
  const caller = mkdtempSync(path.join(tmpdir(), 'charrette-caller-'));
  const session = path.join(caller, 'session.env');
  writeFileSync(session, '');
  const { ended, artifacts, calls, root } = await walk(
    ['--quick', '--dialectic', 'off', '--session-env', session],
    {
      mode: 'refuses',
    },
  );
  expect(ended.code).toBe(0);
  expect(ended.stderr).toContain('**ℹ Voting panel rejected all in-scope findings. Plan unchanged.**');
  expect(calls.filter((call) => call.startsWith('revise-plan '))).toEqual([]);
  expect(artifacts['accepted-plan-findings.md']).toBe('');
  expect(ended.stderr).toContain(
    '**⚠ 3b: architecture diagram — rejected by mermaid sanitizer (REASON_TOKEN=pipe-in-node-label); proceeding without diagram.**',
  );
  expect(Object.keys(artifacts).filter((name) => name.startsWith('architecture-diagram'))).toEqual([]);
  for (const folder of [caller, root])
    expect(readFileSync(path.join(folder, 'execution-issues.md'), 'utf8')).toBe(
      '### Warnings\n\n- **Step 3b — mermaid sanitizer rejected:** pipe-in-node-label\n- **Step 3b — architecture diagram rejected:** pipe-in-node-label\n',
    );
});
