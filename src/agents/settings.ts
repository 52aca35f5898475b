import path from 'node:path';

/** What the configuration says about one agent, and the world a driver may look at. */
import type { Protocol } from '../base/schema/calls.ts';

export type AgentSettings = {
  /** The name in the configuration. */
  id: string;
  protocol: Protocol;
  /** Program and leading arguments. Absent: the protocol's usual program on PATH. */
  command?: readonly string[];
  model?: string;
  effort?: string;
  family?: string;
  baseUrl?: string;
  /** Variables for the child, on top of the safelist and the login. */
  env?: Readonly<Record<string, string>>;
  /** Variables of `env` that are not kept with a run because they carry secrets. */
  withheld?: readonly string[];
};

/** Everything a driver learns about the machine comes through here, so tests can hand in another one. */
export type World = {
  /** The caller's environment; only named variables are ever copied from it. */
  environment: Readonly<Record<string, string | undefined>>;
  /** The user's own HOME, where logins live. */
  home: string;
  platform: NodeJS.Platform;
  architecture: string;
  /** `auto` uses bubblewrap where it works; `off` forces the fallback. */
  jail: 'auto' | 'off';
  /** Where unpacked agent programs are kept between runs. Absent: every private HOME gets its own. */
  cache?: string;
};

/** The world of this process; called once, at the edge. */
export function thisWorld(): World {
  const home = process.env['HOME'] ?? '/';
  return {
    environment: process.env,
    home,
    platform: process.platform,
    architecture: process.arch,
    jail: process.env['CHARRETTE_JAIL'] === 'off' ? 'off' : 'auto',
    cache: path.join(process.env['XDG_CACHE_HOME'] ?? path.join(home, '.cache'), 'charrette', 'agents'),
  };
}
