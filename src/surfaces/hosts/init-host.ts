import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { userFolder, userHome } from '../../base/config/sources.ts';
import { CharretteError } from '../../base/errors.ts';
import { version } from '../../base/version.ts';
import type { Invocation } from '../../service/command.ts';
import { hostParts } from './host-parts.ts';
import { type HostOutcome, installHost, removeHost } from './install-host.ts';
import { type PluginForm, pluginForms } from './plugins.ts';

/** `charrette init --host H [--user] [--remove]`: plugin, skills and hooks of coding agents. */
export async function setUpHosts({
  options,
  global,
  terminal,
}: Invocation): Promise<Record<string, HostOutcome>> {
  const home = userHome(terminal.env);
  // Whoever stands in the home directory sets up the same files.
  const isUser = options['user'] === true || global.cwd === home;
  const place = isUser ? { root: home, userFolder: userFolder(terminal.env) } : { root: global.cwd };
  const remove = options['remove'] === true;
  const results: Record<string, HostOutcome> = {};
  for (const host of hostsOf(String(options['host']))) {
    const parts = hostParts(host, version);
    const where = { ...place, host, dryRun: global.dryRun };
    const outcome = await (remove ? removeHost(parts, where) : installHost(parts, where));
    if (!remove && !isOnPath(terminal.env))
      outcome.log.push({
        level: 'warning',
        text: '`charrette` is not on PATH; hooks and MCP server stay silent until it is.',
      });
    results[host] = outcome;
  }
  return results;
}

function hostsOf(given: string): PluginForm[] {
  if (given === 'all') return [...pluginForms];
  return given.split(',').map((word) => {
    const host = pluginForms.find((known) => known === word.trim());
    if (host !== undefined) return host;
    throw new CharretteError({
      code: 'usage',
      message: `There is no host ${JSON.stringify(word)}; there are ${pluginForms.join(', ')}, all.`,
    });
  });
}

/** Hooks call the program by its name, so that the files fit every machine; without it they stay silent. */
function isOnPath(env: NodeJS.ProcessEnv): boolean {
  return (env['PATH'] ?? '').split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, 'charrette'), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}
