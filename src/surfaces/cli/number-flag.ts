import { CharretteError } from '../../base/errors.ts';
import { plainNumber } from '../../base/text/format.ts';

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
  takes: string,
  isAllowed: (number: number) => boolean,
): (value: string) => number {
  return (value) => {
    const number = plainNumber(value);
    if (number !== undefined && isAllowed(number)) return number;
    throw new CharretteError({
      code: 'usage',
      message: `${flag} was ${JSON.stringify(value)}; it takes ${takes}, written with digits.`,
    });
  };
}
