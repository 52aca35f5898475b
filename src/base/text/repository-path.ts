/** A path as it is compared: without `./` and doubled slashes. One that begins at the root still does. */
export function plainPath(path: string): string {
  return path.replace(/^(?:\s|\.\/)+/, '').replace(/\/(?:\.?\/)+/g, '/');
}

/** Whether a path that should stay in the repository names another place, on any system. */
export function leadsOut(path: string): boolean {
  return (
    /^[\\/]/.test(path) ||
    /^[A-Za-z]:/.test(path) ||
    path.includes('\0') ||
    path.split(/[\\/]/).includes('..')
  );
}
