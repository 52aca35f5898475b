import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../files/atomic.ts';
import { readTextFile } from '../files/bounded.ts';
import { containedPath } from '../files/contained.ts';
import { readAnswer, writeAnswer } from './answer.ts';
import { confine } from './confine.ts';
import { resolveProgram } from './detect.ts';
import type { Driver, Launch } from './drivers/driver.ts';
import { finishReading } from './drivers/outcome.ts';
import { emptyReading, eventsOf, type Reading, readSignal, toolNamer } from './drivers/reading.ts';
import { copyLogin, loginVariables, namedLoginFiles, returnRenewedLogins } from './logins.ts';
import {
  type Agent,
  type AgentTask,
  type CallContext,
  type LaneResult,
  type Probe,
  unknownUsage,
} from './port.ts';
import { probeAgent } from './probe.ts';
import { childEnvironment } from './process/environment.ts';
import { endOrphans } from './process/process-record.ts';
import { type ProcessExit, runProcess, startProcess } from './run-process.ts';
import { formatHandle, parseHandle, readTotal, writeTotal } from './session-handle.ts';
import type { AgentSettings, World } from './settings.ts';
import { shareUnpacked } from './unpacked.ts';

/** An agent that is a program of its own, spoken to through its driver. */
export function createProcessAgent(driver: Driver, settings: AgentSettings, world: World): Agent {
  const call = (task: AgentTask, context: CallContext) =>
    callProgram({ driver, settings, world, task, context });
  return {
    id: settings.id,
    family: settings.family ?? driver.family,
    title: driver.title,
    capabilities: driver.capabilities,
    call,
    // A plain program promises answers to tasks, not to small talk; that it is there is all that can be asked.
    probe: (context) =>
      driver.succeedsByExit === true ? presence(driver, settings, world) : probeAgent(call, context),
  };
}

async function presence(driver: Driver, settings: AgentSettings, world: World): Promise<Probe> {
  if (resolveProgram(driver, settings, world) !== undefined) return { healthy: true };
  return { healthy: false, message: missingProgram(driver, settings) };
}

type Call = { driver: Driver; settings: AgentSettings; world: World; task: AgentTask; context: CallContext };

async function callProgram(call: Call): Promise<LaneResult> {
  const { driver, settings, world, task, context } = call;
  // A call that had finished before its caller died is not made again.
  const answered = await readAnswer(task, settings);
  if (answered !== undefined) return answered;
  await endOrphans([task.laneDirectory]);
  const program = resolveProgram(driver, settings, world);
  if (program === undefined) return failed('unhealthy', missingProgram(driver, settings));
  const earlier = task.resume === undefined ? undefined : parseHandle(task.resume.session);
  if (task.resume !== undefined && earlier === undefined) {
    return failed(
      'crash',
      `The handle ${JSON.stringify(task.resume.session)} names no earlier conversation.`,
    );
  }
  // A conversation lives in the HOME of the lane it began in.
  const owner = earlier?.laneDirectory ?? task.laneDirectory;
  const home = path.join(owner, 'home');
  if (earlier !== undefined && !existsSync(home)) {
    return failed('crash', `The conversation ${earlier.session} is gone: ${home} was cleaned up.`);
  }
  await mkdir(path.join(home, 'tmp'), { recursive: true, mode: 0o700 });
  await writeFileAtomic(path.join(task.laneDirectory, 'prompt.txt'), task.prompt);

  const logins = await copyLogin(driver.login, world, home);
  const variables = { ...loginVariables(driver.login, world.environment), ...settings.env };
  const unpacked = await shareUnpacked(driver, program, world, home);
  const confined = await confine({
    access: task.access,
    guard: driver.guard ?? 'disk',
    directory: task.directory,
    home,
    // The conversation remembers where it works; only a branch of it starts elsewhere.
    laneDirectory: task.resume?.fork ? task.laneDirectory : owner,
    visible: [...namedLoginFiles(driver.login, world), ...unpacked],
    writable: [],
    world,
  });
  const request = {
    task,
    settings,
    program,
    home,
    directory: confined.directory,
    ...(task.resume === undefined || earlier === undefined
      ? {}
      : { resume: { session: earlier.session, fork: task.resume.fork } }),
    variables,
    loginFiles: logins.map((login) => path.relative(home, login.copy)),
    jailed: confined.confinement === 'bubblewrap',
  };
  const launch = driver.build(request);
  await writeLaunchFiles(home, launch);

  const command = {
    argv: confined.command(launch.argv),
    directory: confined.directory,
    environment: childEnvironment(world, home, variables, launch.environment, settings.env ?? {}),
    laneDirectory: task.laneDirectory,
    limits: { wallMs: task.limits.wallMs, idleMs: driver.silent ? task.limits.wallMs : task.limits.idleMs },
  };
  const { reading, exit } = await (driver.converse === undefined
    ? listen(driver, context, { ...command, input: launch.stdin, signal: context.signal })
    : driver.converse({ request, context, start: (parts) => startProcess({ ...command, ...parts }) }));
  const finished = await withUsageFile(driver, home, {
    ...reading,
    session: reading.session ?? launch.session,
  });
  const changed = await confined.release();
  await returnRenewedLogins(logins);

  const previous = earlier === undefined ? undefined : await readTotal(owner, earlier.session);
  const result = finishReading(finished, exit, {
    ...(task.schema === undefined ? {} : { schema: task.schema }),
    ...(previous === undefined ? {} : { earlierUsage: previous }),
    resumed: earlier !== undefined,
  });
  if (result.session !== undefined && finished.usageScope === 'session') {
    await writeTotal(owner, result.session, finished.usage);
  }
  const complete: LaneResult = {
    ...result,
    ...(result.session === undefined || !driver.capabilities.resume
      ? { session: undefined }
      : { session: formatHandle(result.session, owner) }),
    confinement: confined.confinement,
    ...(changed.length === 0 ? {} : denial(changed)),
  };
  await writeAnswer(task, settings, complete);
  return complete;
}

/** Runs the process and reads it signal by signal. */
async function listen(
  driver: Driver,
  context: CallContext,
  request: Omit<Parameters<typeof runProcess>[0], 'onLine'>,
): Promise<{ reading: Reading; exit: ProcessExit }> {
  let reading = emptyReading;
  const named = toolNamer();
  const exit = await runProcess({
    ...request,
    onLine: (line) => {
      for (const signal of driver.parse(line)) {
        reading = readSignal(reading, signal);
        for (const event of eventsOf(named(signal))) context.onEvent(event);
      }
      if (reading.hopeless) return 'stop';
      return reading.succeeded ? 'finished' : undefined;
    },
  });
  const left = exit.code === 0 && exit.ended === undefined;
  if (driver.succeedsByExit && left) reading = readSignal(reading, { type: 'success' });
  return { reading, exit };
}

async function writeLaunchFiles(home: string, launch: Launch): Promise<void> {
  for (const [name, content] of Object.entries(launch.files)) {
    const file = await containedPath(home, name);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, content, { mode: 0o600 });
  }
}

async function withUsageFile(driver: Driver, home: string, reading: Reading): Promise<Reading> {
  if (driver.usageFile === undefined) return reading;
  const text = await readTextFile(path.join(home, driver.usageFile.path)).catch(() => undefined);
  const usage = text === undefined ? undefined : driver.usageFile.read(text);
  return usage === undefined ? reading : { ...reading, usage, usageScope: driver.usageFile.scope };
}

function denial(changed: readonly string[]): Pick<LaneResult, 'kind' | 'message'> {
  const some = changed.slice(0, 5).join(', ');
  const more = changed.length > 5 ? ` and ${changed.length - 5} more` : '';
  return {
    kind: 'denied',
    message: `Files changed during a call with read access: ${some}${more}. With bubblewrap installed they could not.`,
  };
}

function missingProgram(driver: Driver, settings: AgentSettings): string {
  const names = settings.command?.[0] ?? driver.programs.join(' or ');
  return `The program ${names} of agent "${settings.id}" was not found on PATH.`;
}

function failed(kind: LaneResult['kind'], message: string): LaneResult {
  return { kind, text: '', message, usage: unknownUsage, toolCalls: 0, durationMs: 0 };
}
