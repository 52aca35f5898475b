/** The first of some names in a line, and how many there are besides. */
export function namedSome(names: readonly string[], most = 5, separator = ', '): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(separator)}${more > 0 ? ` and ${more} more` : ''}`;
}
