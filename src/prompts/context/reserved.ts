/** M-065: names in the design folder that programs write, relative to it. A pattern's `*` stays within one folder. */
export const reservedNames: readonly { name: string; matches: (relative: string) => boolean }[] = [
  ...['tokens.json', 'components.json', 'import-warnings.json', 'copy.json', 'path-selection.json'].map(
    (name) => ({
      name,
      matches: (relative: string) => relative === name,
    }),
  ),
  { name: 'brief/BRIEF-*.md', matches: (relative) => /^brief\/BRIEF-[^/]*\.md$/.test(relative) },
  { name: 'assets/', matches: (relative) => relative.startsWith('assets/') },
];

/** Whether a file of the design folder has a name that is kept for programs; `/` separates folders. */
export function isReserved(relative: string): boolean {
  return reservedNames.some(({ matches }) => matches(relative));
}
