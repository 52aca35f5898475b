/** JSON as it is written into files that people read: two spaces, a line end. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
