/** A word that a POSIX shell, zsh and fish read as it stands. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", `'\\''`)}'`;
}
