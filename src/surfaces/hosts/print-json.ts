/** JSON as the formatter of the project writes it: lists of plain values on one line where they fit. */
export function printJson(value: unknown): string {
  return `${print(value, 0)}\n`;
}

const widest = 110;

function print(value: unknown, indent: number): string {
  const inner = '  '.repeat(indent + 1);
  const outer = '  '.repeat(indent);
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    const plain = value.every((item) => typeof item !== 'object' || item === null);
    const line = `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
    // Room for a short key before it and a comma after it.
    if (plain && outer.length + line.length + 20 <= widest) return line;
    return `[\n${value.map((item) => `${inner}${print(item, indent + 1)}`).join(',\n')}\n${outer}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (entries.length === 0) return '{}';
  return `{\n${entries.map(([key, item]) => `${inner}${JSON.stringify(key)}: ${print(item, indent + 1)}`).join(',\n')}\n${outer}}`;
}
