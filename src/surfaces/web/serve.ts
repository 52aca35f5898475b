import { CharretteError } from '../../base/errors.ts';
import type { CommandSpec, CommandTable } from '../../service/command.ts';
import { stopExit } from '../../service/command.ts';
import { openProject, settingsOf } from '../../service/project.ts';

const usualPort = 4747;

/** `commands`: what the page can start. */
export const serveCommand = (commands: CommandTable): CommandSpec => ({
  examples: [
    ['charrette serve', 'prints the address to open; only this machine can reach it'],
    ['charrette serve --port 0', 'on any free port'],
    ['charrette serve --host 0.0.0.0 --allow-host build.example', 'for others; put TLS in front of it'],
  ],
  options: [
    {
      flags: '--port <number>',
      description: `the port (default ${usualPort}, or a free one)`,
      parse: readPort,
    },
    {
      flags: '--host <address>',
      description: 'the address to listen on',
      parse: readHost,
      default: '127.0.0.1',
    },
    {
      flags: '--allow-host <name>',
      description:
        'another name for the page, on any port: that of a proxy with TLS; may be given more than once',
      parse: (value, previous) => [...(Array.isArray(previous) ? previous : []), readName(value)],
    },
  ],
  async run({ options, global, terminal, signal }) {
    const { startWebServer } = await import('./server.ts');
    const { loadPageFiles, pageFolder } = await import('./page-files.ts');
    const project = openProject(global.cwd, { config: global.config, env: terminal.env });
    const { prices } = await settingsOf(project);
    const host = String(options['host']);
    const names = Array.isArray(options['allowHost']) ? options['allowHost'].map(String) : [];
    const files = loadPageFiles(pageFolder());
    const start = (port: number) =>
      startWebServer({ project, prices, commands }, { host, port, names, files });
    const asked = options['port'];
    const server =
      typeof asked === 'number' ? await start(asked) : await start(usualPort).catch(() => start(0));
    const { url, port } = server;
    // No event of a run: a plain result line, as the one at the end.
    if (global.output === 'stream-json')
      terminal.stdout.write(`${JSON.stringify({ url, port, status: 'serving' })}\n`);
    else if (global.output === 'text') terminal.stdout.write(`${url}\n`);
    else terminal.stderr.write(`${url}\n`);
    if (!global.quiet)
      terminal.stderr.write(
        `Serving ${project.project}. Anyone with this URL can view, answer and start its runs. Stop with Ctrl-C.\n`,
      );
    if (!isLoopback(host) && !global.quiet)
      terminal.stderr.write('Other machines can reach this over plain HTTP: put TLS in front of it.\n');
    await stopped(signal);
    await server.close();
    return { exit: stopExit(signal), json: { url, port, status: 'stopped' } };
  },
});

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

/** An empty one would mean every address of the machine. */
function readHost(value: string): string {
  if (value.trim() !== '') return value;
  throw new CharretteError({
    code: 'usage',
    message: '--host is empty, which would open the page to every machine that can reach this one.',
    fix: 'Leave it out for 127.0.0.1, or say --host 0.0.0.0 if that is meant.',
  });
}

/** What a browser calls the proxy; with an address or a port no request would ever fit it. */
function readName(value: string): string {
  if (/^(?:[\w-]+(?:\.[\w-]+)*|\[[0-9a-f:.]+\])$/i.test(value)) return value;
  throw new CharretteError({
    code: 'usage',
    message: `${JSON.stringify(value)} is not the name of a host.`,
    fix: 'Give the name alone, without https:// and port, such as --allow-host build.example.',
  });
}

function readPort(value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new CharretteError({
    code: 'usage',
    message: `${JSON.stringify(value)} is not a port; 0 to 65535 are.`,
  });
}

function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  // A pending promise alone would not keep the process alive; the listening server does.
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
