import { CharretteError } from '../../base/errors.ts';
import type { OptionSpec } from '../../service/command.ts';

/** Collects the values of a flag that may be given more than once. */
export function several(value: string, previous: unknown): string[] {
  return [...(Array.isArray(previous) ? previous.map(String) : []), value];
}

/** A label as workers carry it. */
export function label(value: string, previous: unknown): string[] {
  if (/^[a-z0-9][a-z0-9._-]{0,62}$/i.test(value)) return several(value, previous);
  throw new CharretteError({
    code: 'usage',
    message: `${JSON.stringify(value)} is no label; it takes letters, digits, dots, dashes and underscores.`,
  });
}

/** Flags of every command that starts a run. */
export const queueOptions: readonly OptionSpec[] = [
  {
    flags: '--queue',
    description: 'leave the run to a `charrette worker` of the shared store and return at once',
  },
  {
    flags: '--label <name>',
    description: 'with --queue: only for workers with this label; may be given more than once',
    parse: label,
    needs: '--queue',
  },
  {
    flags: '--priority <number>',
    description: 'with --queue: higher goes first (default 0)',
    parse: (value) => {
      if (/^-?\d{1,6}$/.test(value)) return Number(value);
      throw new CharretteError({
        code: 'usage',
        message: `--priority was ${JSON.stringify(value)}; it takes a whole number from -999999 to 999999.`,
      });
    },
    needs: '--queue',
  },
];
