import { CharretteError } from '../../base/errors.ts';
import { plainNumber } from '../../base/text/strings.ts';
import type { OptionSpec } from '../../service/command.ts';

export const acceptDegraded: OptionSpec = {
  flags: '--accept-degraded',
  description: 'accept a result that fewer than two families reviewed or voted on',
};

/** Reads the value of a flag that takes a number above 0. */
export function positive(flag: string): (value: string) => number {
  return reader(flag, 'a number above 0', (number) => number > 0);
}

/** Reads the value of a flag that takes a number in a range, both ends included. */
export function numberWithin(flag: string, least: number, most: number): (value: string) => number {
  return reader(flag, `a number from ${least} to ${most}`, (number) => number >= least && number <= most);
}

/** Reads the value of a flag that takes a whole number, both ends included; without a range any, 0 too. */
export function wholeNumber(flag: string, least = 0, most?: number): (value: string) => number {
  const range = most === undefined ? (least === 0 ? '' : ` from ${least}`) : ` from ${least} to ${most}`;
  return reader(
    flag,
    `a whole number${range}`,
    (number) => Number.isSafeInteger(number) && number >= least && number <= (most ?? number),
  );
}

function reader(
  flag: string,
  expected: string,
  isAllowed: (number: number) => boolean,
): (value: string) => number {
  return (value) => {
    const number = plainNumber(value);
    if (number !== undefined && isAllowed(number)) return number;
    throw new CharretteError({
      code: 'usage',
      message: `${flag} is ${JSON.stringify(value)}; expected ${expected}, written with digits.`,
    });
  };
}

/** Collects the values of a repeatable flag. */
export function several(value: string, previous: unknown): string[] {
  return [...(Array.isArray(previous) ? previous.map(String) : []), value];
}

/** A label as workers carry it. */
export function label(value: string, previous: unknown): string[] {
  if (/^[a-z0-9][a-z0-9._-]{0,62}$/i.test(value)) return several(value, previous);
  throw new CharretteError({
    code: 'usage',
    message: `${JSON.stringify(value)} is an invalid label; use letters, digits, dots, dashes and underscores.`,
  });
}

/** Flags of every command that starts a run. */
export const queueOptions: readonly OptionSpec[] = [
  {
    flags: '--queue',
    description: 'leave the run to a `charrette worker` of the shared store and return at once',
    rare: true,
  },
  {
    flags: '--label <name>',
    description: 'with --queue: require workers with this label; repeatable',
    rare: true,
    parse: label,
    needs: '--queue',
  },
  {
    flags: '--priority <number>',
    description: 'with --queue: run higher numbers first (default 0)',
    rare: true,
    parse: (value) => {
      if (/^-?\d{1,6}$/.test(value)) return Number(value);
      throw new CharretteError({
        code: 'usage',
        message: `--priority is ${JSON.stringify(value)}; expected a whole number from -999999 to 999999.`,
      });
    },
    needs: '--queue',
  },
  {
    flags: '--detach',
    description: 'start the run in a separate process, print its id and return',
    rare: true,
  },
];
