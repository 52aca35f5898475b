import { CharretteError } from '../errors.ts';

/** Reads the value of a flag that takes a number above 0. */
export function positive(flag: string) {
  return (value: string) => {
    const number = Number(value);
    if (Number.isFinite(number) && number > 0) return number;
    throw new CharretteError({
      code: 'usage',
      message: `${flag} was ${JSON.stringify(value)}; it takes a number above 0.`,
    });
  };
}

/** Reads the value of a flag that takes a whole number, 0 included. */
export function wholeNumber(flag: string) {
  return (value: string) => {
    const number = Number(value);
    if (Number.isInteger(number) && number >= 0) return number;
    throw new CharretteError({
      code: 'usage',
      message: `${flag} was ${JSON.stringify(value)}; it takes a whole number.`,
    });
  };
}
