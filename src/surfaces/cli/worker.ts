import { thisWorld } from '../../agents/settings.ts';
import { type ExitCode, exitCodes } from '../../base/error-table.ts';
import { visibleJson, visibleText } from '../../base/text/strings.ts';
import type { CommandSpec } from '../../service/command.ts';
import { findProject, openProject, settingsOf } from '../../service/project.ts';
import { sharedUrl } from '../../service/queue.ts';
import { label, several, wholeNumber } from './options.ts';

export const command: CommandSpec = {
  examples: [
    ['charrette worker', 'for the repository here, until Ctrl-C'],
    ['charrette worker --repository ../shop --repository ../billing', 'for two repositories'],
    ['charrette worker --label gpu --limit 2', 'also runs that ask for the label; two at a time'],
    ['charrette worker --output stream-json', 'what it does, one JSON document a line'],
  ],
  options: [
    {
      flags: '--repository <dir>',
      description: 'a clone to work in; may be given more than once (default: the present one)',
      parse: several,
    },
    {
      flags: '--label <name>',
      description: 'take runs that ask for this label too; may be given more than once',
      parse: label,
    },
    {
      flags: '--limit <count>',
      description: 'runs at the same time (default: `queue.perWorker`, else 4)',
      parse: wholeNumber('--limit', 1),
    },
  ],
  async run(invocation) {
    const { options, global, terminal, signal } = invocation;
    const given = options['repository'] as string[] | undefined;
    const { resolve } = await import('node:path');
    const projects = (given ?? ['.']).map((folder) => findProject(resolve(global.cwd, folder)));
    const [first = global.cwd] = projects;
    const project = openProject(first, { config: global.config, env: terminal.env });
    const url = await sharedUrl(project);
    const config = await settingsOf(project);
    const [{ serveQueue }, { openPlace }, { openQueue }, { describeWorkerEvent }] = await Promise.all([
      import('../../service/worker/session.ts'),
      import('../../service/worker/places.ts'),
      import('../../engine/queue/queue.ts'),
      import('../../service/worker/worker-event.ts'),
    ]);
    const world = thisWorld();
    const places = await Promise.all(
      [...new Set(projects)].map((project) => openPlace(project, world, global.config)),
    );
    const settings = config.queue;
    const queue = await openQueue(url);
    try {
      const summary = await serveQueue(
        {
          queue,
          url,
          places,
          labels: (options['label'] as string[] | undefined) ?? [],
          limit: (options['limit'] as number | undefined) ?? settings.perWorker,
          parallel: config.limits.parallel,
          limits: settings,
          agents: settings.agents ?? {},
          heartbeatTimeoutSeconds: settings.heartbeatTimeoutSeconds,
          drainSeconds: settings.drainSeconds,
          keepDays: settings.keepDays,
          world,
          configFile: global.config,
          signal,
        },
        (event) => {
          const time = new Date().toISOString();
          if (global.output === 'stream-json')
            terminal.stdout.write(`${visibleJson({ v: 1, time, ...event })}\n`);
          else if (!global.quiet)
            terminal.stderr.write(`${time.slice(11, 19)} ${visibleText(describeWorkerEvent(event))}\n`);
        },
      );
      return { exit: exitOf(signal), json: { status: 'stopped', ...summary } };
    } finally {
      await queue.close();
    }
  },
};

/** Told to stop by a signal it has done what it was asked; only a time limit is an end of another kind. */
function exitOf({ reason }: AbortSignal): ExitCode {
  return typeof reason === 'string' ? exitCodes.done : exitCodes.timedOut;
}
