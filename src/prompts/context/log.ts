/** One line for the log: what others test to the letter is `info`, what the author should look at is a `warning`. */
export type LogLine = { level: 'info' | 'warning'; text: string };

export const info = (text: string): LogLine => ({ level: 'info', text });
export const warning = (text: string): LogLine => ({ level: 'warning', text });

/** A value found in somebody's file, short enough and safe to print on one line. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
