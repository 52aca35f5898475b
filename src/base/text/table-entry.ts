/** What a table has under a name that somebody else chose: every object has a `constructor`, no table has. */
export function tableEntry<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
