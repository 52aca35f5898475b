import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from '../base/files/bounded.ts';
import { redactCommand } from '../base/text/secrets.ts';
import { joinTruncated } from '../base/text/strings.ts';
import { Account, refusalOf } from './accounts.ts';
import {
  formatHandle,
  parseHandle,
  readAnswer,
  readTotal,
  redactedCall,
  redactedReading,
  writeAnswer,
  writeTotal,
} from './call-events.ts';
import type { BuildRequest, Driver, Launch, Signal } from './drivers/driver.ts';
import {
  emptyReading,
  eventsOf,
  finishReading,
  type Reading,
  readSignal,
  TextPieces,
  toolNamer,
} from './drivers/reading.ts';
import {
  type Agent,
  type AgentTask,
  type CallContext,
  type LaneResult,
  type Probe,
  unknownUsage,
} from './port.ts';
import {
  dropOrphanedLogin,
  holdLogin,
  homeOf,
  loginVariables,
  openHome,
  shareUnpacked,
  unusableHomeReason,
  writeHomeFiles,
} from './private-home.ts';
import { asSaid, secretsAround, secretsIn } from './process/output.ts';
import { endOrphans } from './process/process-tree.ts';
import { probeAgent, resolveProgram } from './registry.ts';
import { type ProcessExit, runProcess, startProcess, streamFile } from './run-process.ts';
import {
  type AgentSettings,
  certificateVariables,
  childEnvironment,
  namedPaths,
  taskVariables,
  type World,
} from './settings.ts';
import { type Confined, confine } from './tree-guard.ts';

/** An agent that is a separate program, called through its driver. */
export function createProcessAgent(driver: Driver, settings: AgentSettings, world: World): Agent {
  const call = (task: AgentTask, context: CallContext) =>
    callProgram({ driver, settings, world, task, context });
  return {
    id: settings.id,
    family: settings.family ?? driver.family,
    title: driver.title,
    capabilities: driver.capabilities,
    call,
    answered: async (task) => (await readAnswer(task, settings)) !== undefined,
    // A plain program promises answers to tasks, not to small talk; that it is there is all that can be asked.
    probe: async (context) => {
      const there = await presence(driver, settings, world);
      if (driver.succeedsByExit === true) return there;
      const { available } = there;
      return { ...(await probeAgent(call, context)), ...(available === undefined ? {} : { available }) };
    },
  };
}

async function presence(driver: Driver, settings: AgentSettings, world: World): Promise<Probe> {
  if (resolveProgram(driver, settings, world) !== undefined) return { healthy: true };
  return { healthy: false, available: false, message: missingProgram(driver, settings) };
}

type Call = { driver: Driver; settings: AgentSettings; world: World; task: AgentTask; context: CallContext };

async function callProgram(call: Call): Promise<LaneResult> {
  const { settings, task } = call;
  // A call that had finished before its caller died is not made again.
  const answered = await readAnswer(task, settings);
  if (answered !== undefined) return answered;
  const account = new Account(call.driver, settings, call.world);
  const refusal = await refusalOf(account, call.context.signal);
  if (refusal !== undefined) {
    const { message, isBeingChecked: _, ...limit } = refusal;
    return { ...failed('quota', message), limit };
  }
  const result = await attempt(call).catch((error: unknown) => {
    account.note(failed('cancelled', ''), Date.now());
    throw error;
  });
  account.note(result, Date.now());
  await writeAnswer(task, settings, result);
  const openUntil = result.kind === 'quota' ? account.openUntil(Date.now()) : undefined;
  return openUntil === undefined ? result : { ...result, limit: { ...result.limit, openUntil } };
}

/** One attempt, from the first check to the end. What can be foreseen comes back as a result, never as an error. */
async function attempt(call: Call): Promise<LaneResult> {
  const { driver, settings, world, task } = call;
  await endOrphans([task.laneDirectory]);
  const place = findPlace(task);
  try {
    await dropOrphanedLogin(driver.login, homeOf(task.laneDirectory));
    const program = resolveProgram(driver, settings, world);
    if (program === undefined) return failed('unhealthy', missingProgram(driver, settings));
    if ('missing' in place) return failed('crash', place.missing);
    await openHome(place.home);
    return await withLogin(call, program, place);
  } catch (error) {
    const homes = [homeOf(task.laneDirectory), ...('missing' in place ? [] : [place.home])];
    const reason = unusableHomeReason(homes, error);
    if (reason === undefined) throw error;
    return failed('denied', reason);
  }
}

async function withLogin(call: Call, program: readonly string[], place: Place): Promise<LaneResult> {
  const login = await holdLogin(call.driver.login, call.world, place.home);
  try {
    return await perform(call, program, place);
  } finally {
    const { refused } = await login.release();
    for (const { file, reason } of refused) {
      const message = `The login in ${file} was not renewed although the agent changed its copy: ${reason}.`;
      call.context.onEvent({ type: 'error', message });
    }
  }
}

/** Where a call lives: the HOME of the lane in which its conversation began. */
type Place = { owner: string; home: string; session?: string };

function findPlace(task: AgentTask): Place | { missing: string } {
  if (task.resume === undefined) {
    return { owner: task.laneDirectory, home: homeOf(task.laneDirectory) };
  }
  const earlier = parseHandle(task.resume.session);
  if (earlier === undefined) {
    return { missing: `The handle ${JSON.stringify(task.resume.session)} names no earlier conversation.` };
  }
  const home = homeOf(earlier.laneDirectory);
  if (!existsSync(home)) {
    return { missing: `The conversation ${earlier.session} is gone: ${home} was cleaned up.` };
  }
  return { owner: earlier.laneDirectory, home, session: earlier.session };
}

async function perform(
  call: Call,
  program: readonly string[],
  { owner, home, session }: Place,
): Promise<LaneResult> {
  const { driver, settings, world, task } = call;
  const variables = { ...loginVariables(driver.login, world.environment), ...settings.env };
  const { signal } = call.context;
  const unpacked = await shareUnpacked({ driver, program, world, task, signal }, home);
  const confined = await confine({
    access: task.access,
    guard: driver.guard ?? 'disk',
    directory: task.directory,
    home,
    // The conversation remembers where it works; only a branch of it starts elsewhere.
    laneDirectory: task.resume?.fork ? task.laneDirectory : owner,
    program,
    visible: [
      ...namedPaths(world.environment, [...(driver.login.fileVariables ?? []), ...certificateVariables]),
      ...unpacked,
      ...(task.given ?? []),
    ],
    world,
  });
  const request: BuildRequest = {
    task,
    settings,
    program,
    home,
    directory: confined.directory,
    ...(session === undefined ? {} : { resume: { session, fork: task.resume?.fork ?? false } }),
    variables,
    jailed: confined.confinement === 'bubblewrap',
  };
  let changed: string[] = [];
  const { launch, reading, exit } = await talk(call, request, confined).finally(async () => {
    changed = await confined.release();
  });
  const limit = reading.limit ?? (await driver.limitNote?.(home));
  const complete = {
    ...reading,
    session: reading.session ?? launch.session,
    ...(limit === undefined ? {} : { limit }),
  };
  const result = await conclude(driver, task, await withUsageFile(driver, home, complete), exit, {
    owner,
    home,
    session,
  });
  return {
    ...(settings.model === undefined ? {} : { model: settings.model }),
    ...result,
    argv: redactCommand(launch.argv).shown,
    confinement: confined.confinement,
    ...(changed.length === 0 ? {} : denial(task.access, changed)),
  };
}

/** Starts the program where it may do only what it may, and hears it out. */
async function talk(
  { driver, settings, world, task, context }: Call,
  request: BuildRequest,
  confined: Confined,
): Promise<{ launch: Launch; reading: Reading; exit: ProcessExit }> {
  const { home } = request;
  const launch = driver.build(request);
  await writeHomeFiles(home, launch.files);
  const environment = childEnvironment(
    world,
    home,
    taskVariables(task),
    request.variables,
    launch.environment,
    settings.env ?? {},
  );
  const secrets = asSaid([
    ...secretsIn(environment, launch.argv),
    ...(await secretsAround(task.directory, world.environment)),
  ]);
  const command = {
    argv: confined.command(launch.argv),
    directory: confined.directory,
    environment,
    secrets,
    laneDirectory: task.laneDirectory,
    contained: confined.confinement === 'bubblewrap',
    limits: limitsOf(driver, task),
  };
  const heard = redactedCall(context, secrets);
  const { reading, exit } = await (driver.converse === undefined
    ? listen(driver, heard.context, { ...command, input: launch.stdin, signal: context.signal })
    : driver.converse({
        request,
        context: heard.context,
        start: (parts) => startProcess({ ...command, ...parts }),
      })
  ).finally(async () => {
    heard.end();
    if (heard.cameInPieces()) await writeFile(path.join(task.laneDirectory, streamFile), withheldStream);
  });
  return { launch, reading: redactedReading(reading, secrets), exit };
}

/** Its lines hold pieces of a secret that only together are one. */
const withheldStream = '{"withheld":"The stream held a secret in pieces."}\n';

function limitsOf({ silent }: Driver, { limits: { wallMs, idleMs } }: AgentTask) {
  return { wallMs, idleMs: silent ? wallMs : idleMs };
}

/** The result of this run alone, with a handle that finds its conversation again. */
async function conclude(
  driver: Driver,
  task: AgentTask,
  reading: Reading,
  exit: ProcessExit,
  { owner, session }: Place,
): Promise<LaneResult> {
  const earlierUsage = session === undefined ? undefined : await readTotal(owner, session);
  const result = finishReading(reading, exit, {
    ...(task.schema === undefined ? {} : { schema: task.schema }),
    ...(earlierUsage === undefined ? {} : { earlierUsage }),
    resumed: session !== undefined,
    limits: limitsOf(driver, task),
  });
  if (result.session === undefined) return result;
  if (reading.usageScope === 'session') await writeTotal(owner, result.session, reading.usage);
  const { session: own, ...rest } = result;
  return driver.capabilities.resume ? { ...rest, session: formatHandle(own, owner) } : rest;
}

/** Runs the process and reads it signal by signal. */
async function listen(
  driver: Driver,
  context: CallContext,
  request: Omit<Parameters<typeof runProcess>[0], 'onLine'>,
): Promise<{ reading: Reading; exit: ProcessExit }> {
  let reading = emptyReading;
  const named = toolNamer();
  const pieces = new TextPieces();
  const read = (signals: readonly Signal[]) => {
    reading = signals.reduce(readSignal, reading);
  };
  const exit = await runProcess({
    ...request,
    onLine: (line) => {
      for (const signal of driver.parse(line)) {
        read(pieces.push(signal));
        for (const event of eventsOf(named(signal))) context.onEvent(event);
      }
      if (reading.hopeless) return 'stop';
      return reading.succeeded ? 'finished' : undefined;
    },
  });
  read(pieces.end());
  const left = exit.code === 0 && exit.ended === undefined;
  if (driver.succeedsByExit && left) reading = readSignal(reading, { type: 'success' });
  return { reading, exit };
}

async function withUsageFile(driver: Driver, home: string, reading: Reading): Promise<Reading> {
  if (driver.usageFile === undefined) return reading;
  const text = await readTextFile(path.join(home, driver.usageFile.path)).catch(() => undefined);
  const usage = text === undefined ? undefined : driver.usageFile.read(text);
  return usage === undefined ? reading : { ...reading, usage, usageScope: driver.usageFile.scope };
}

function denial(
  access: AgentTask['access'],
  changed: readonly string[],
): Pick<LaneResult, 'kind' | 'message'> {
  const some = joinTruncated(changed);
  const message =
    access === 'read'
      ? `Files changed during a call with read access: ${some}. With bubblewrap installed they could not.`
      : `The call made ${some}, by which git would take its settings from elsewhere. It was removed.`;
  return { kind: 'denied', message };
}

function missingProgram(driver: Driver, settings: AgentSettings): string {
  const names = settings.command?.[0] ?? driver.programs.join(' or ');
  return `The program ${names} of agent "${settings.id}" was not found on PATH.`;
}

function failed(kind: LaneResult['kind'], message: string): LaneResult {
  return { kind, text: '', message, usage: unknownUsage, toolCalls: 0, durationMs: 0 };
}
