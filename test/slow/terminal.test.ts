import { afterEach, describe, expect, test } from 'vitest';
import { startCharrette } from '../support/live-program.ts';
import { charrette, holdTask, makeProject, olderNode } from '../support/program.ts';
import { hasTmux, openScreen, type Screen } from '../support/screen.ts';

const open: Screen[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((screen) => screen.close()));
});

async function screen(...given: Parameters<typeof openScreen>): Promise<Screen> {
  const opened = await openScreen(...given);
  open.push(opened);
  return opened;
}

/** A question that can be answered. The picture shows it before there is a dialogue; what is typed then is lost. */
function dialogue(text: string): RegExp {
  return new RegExp(`${text}[\\s\\S]*Enter: confirm`);
}

function count(text: string, part: RegExp): number {
  return text.match(part)?.length ?? 0;
}

describe.skipIf(!hasTmux)('the program on a real terminal', () => {
  test('a design asks inline, draws phases and lanes in place and ends with a summary', async () => {
    const { project, calls } = await makeProject();
    const release = holdTask(calls, 'sketch');
    const terminal = await screen(['design', 'cancel an order'], { cwd: project, columns: 100, rows: 34 });
    const asked = await terminal.shows(dialogue('read this repository\\?'));
    expect(asked).toMatch(/● Yes, in this project from now on \(recommended\)/);
    await terminal.keys('Enter');
    await terminal.shows(dialogue('argue both sides'));
    await terminal.keys('Enter');
    const drawn = await terminal.shows(/2a: sketches/);
    expect(drawn).toMatch(/^◆ cancel an order {2}design · /m);
    await terminal.shows(/[◐◓◑◒] One-Pragmatic +one +running +\d+s$/m);
    release();
    expect(await terminal.ended()).toBe(0);
    const history = await terminal.history();
    expect(count(history, /^◆ /gm), 'no picture is left behind').toBe(1);
    expect(count(history, /✔ 2a: sketches/g)).toBe(1);
    expect(history).toMatch(/^ ✔ 5: cleanup — design complete!/m);
    expect(history).toMatch(/^Limit requests per client$/m);
    expect(history).toMatch(/^ {2}new src\/rate-limit\.ts$/m);
    expect(history).toMatch(/charrette build --run [0-9a-f]{8} +implement it$/m);
    expect(history).toMatch(/artifacts\/plan\.txt$/m);
    expect(await terminal.cursorIsVisible()).toBe(true);
  });

  test('a question answered in another terminal closes the prompt in the first, which asks the next one', async () => {
    const { project } = await makeProject();
    const terminal = await screen(['design', 'cancel an order'], { cwd: project, columns: 100, rows: 34 });
    await terminal.shows(dialogue('read this repository\\?'));
    const answered = await charrette(['answer', 'latest', 'consent=yes'], { cwd: project });
    expect(answered.code, answered.stderr).toBe(0);
    const next = await terminal.shows(dialogue('argue both sides'));
    expect(next).not.toMatch(/● Yes, in this project from now on/);
    await terminal.keys('Enter');
    expect(await terminal.ended()).toBe(0);
    expect(await terminal.cursorIsVisible()).toBe(true);
  });

  test('a low and narrow terminal that changes its size shows one fitting live view', async () => {
    const { project, calls } = await makeProject();
    holdTask(calls, 'sketch');
    const terminal = await screen(['design', '--yes', 'cancel an order'], {
      cwd: project,
      columns: 60,
      rows: 12,
    });
    await terminal.shows(/2a: sketches/);
    await terminal.resize(40, 10);
    const release = holdTask(calls, 'judge');
    const small = await terminal.shows(/2a\.5: dialectic[\s\S]*running/);
    expect(count(small, /^◆ /gm)).toBe(1);
    expect(small).toMatch(/^ ⋮ \d+ more$/m);
    release();
    expect(await terminal.ended()).toBe(0);
  });

  test('NO_COLOR and --no-motion: no colour, nothing turns; titles cannot steer the terminal', async () => {
    const { project } = await makeProject({ delayMs: 200 });
    const terminal = await screen(
      ['design', '--yes', '--solo', '--no-motion', 'cancel \u001b[2J\u001b]0;owned\u0007an order'],
      {
        cwd: project,
        columns: 90,
        rows: 30,
        env: { NO_COLOR: '1' },
      },
    );
    expect(await terminal.ended()).toBe(0);
    const raw = terminal.raw();
    expect(raw).toMatch(/◆ cancel ]0;ownedan order/);
    expect(raw).not.toMatch(/[◓◑◒]/);
    expect(raw).not.toMatch(/\u001b\[[\d;]*m/);
    expect(raw).not.toContain('\u001b]0;');
    expect(raw).not.toContain('\u001b[2J');
  });

  test.each([
    ['Ctrl-C', []],
    ['Ctrl-C under an older Node, which starts a newer one,', olderNode],
  ])(
    '%s stops, says how to resume and gives the cursor back; the resumed picture holds the past',
    async (_, node) => {
      const { project, calls } = await makeProject();
      const release = holdTask(calls, 'plan-review');
      const terminal = await screen(
        ['design', '--yes', '--auto', '--sketches', '2', '--dialectic', 'off', 'cancel an order'],
        { cwd: project, columns: 90, rows: 30, node },
      );
      await terminal.shows(/One-Pragmatic +one +running/);
      await terminal.keys('C-c');
      expect(await terminal.ended()).toBe(130);
      expect(await terminal.text()).toMatch(
        /stopped; everything finished so far is saved\nResume with `charrette resume/,
      );
      expect(await terminal.cursorIsVisible()).toBe(true);
      const again = await screen(['resume'], { cwd: project, columns: 90, rows: 30 });
      const resumed = await again.shows(/One-Pragmatic +one +running/);
      expect(resumed).toMatch(/✔ 1: branch/);
      release();
      expect(await again.ended()).toBe(0);
    },
  );

  test('Ctrl-C at a question pauses; the question stays to be read with the command that answers it, for watch too', async () => {
    const { project } = await makeProject();
    const shown = /^ \? Let .*read this repository\?[\s\S]+^ {5}charrette answer \S+ consent=yes$/m;
    const terminal = await screen(['design', 'cancel an order'], { cwd: project, columns: 100, rows: 34 });
    await terminal.shows(dialogue('read this repository\\?'));
    await terminal.keys('C-c');
    expect(await terminal.ended()).toBe(7);
    expect(await terminal.history()).toMatch(shown);
    const watching = await screen(['watch'], { cwd: project, columns: 100, rows: 34 });
    expect(await watching.ended()).toBe(7);
    expect(await watching.history()).toMatch(shown);
  });

  test('watch draws a run of another process and answers its question', async () => {
    const { project, calls } = await makeProject();
    const release = holdTask(calls, 'sketch');
    const other = await screen(['design', 'cancel an order'], { cwd: project, columns: 90, rows: 30 });
    await other.shows(/read this repository\?/);
    const watching = await screen(['watch'], { cwd: project, columns: 90, rows: 34 });
    await watching.shows(dialogue('read this repository\\?'));
    await watching.keys('Enter');
    await watching.shows(dialogue('argue both sides'));
    await watching.keys('Enter');
    await watching.shows(/2a: sketches/);
    await other.shows(/2a: sketches/);
    release();
    expect(await watching.ended()).toBe(0);
    expect(await watching.history()).toMatch(/^Limit requests per client$/m);
    expect(await other.ended()).toBe(0);
  });

  test('a piped run prints lines while a terminal watches it', async () => {
    const { project, calls } = await makeProject();
    const release = holdTask(calls, 'sketch');
    const piped = startCharrette(['design', '--yes', '--auto', '--quick', 'cancel an order'], {
      cwd: project,
    });
    await piped.says('2a: sketches');
    const watching = await screen(['watch'], { cwd: project, columns: 90, rows: 30 });
    await watching.shows(/◆ cancel an order/);
    release();
    const { code, stderr } = await piped.ended;
    expect(code).toBe(0);
    expect(stderr).toContain('> **🔶 2a: sketches**');
    expect(stderr).not.toContain('\u001b[');
    expect(await watching.ended()).toBe(0);
  });
});
