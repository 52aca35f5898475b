/** Artifacts of runs as resources. */
export const artifactTemplate = 'charrette://runs/{run}/{name}';

export function uriOf(run: string, name: string): string {
  return `charrette://runs/${encodeURIComponent(run)}/${encodeURIComponent(name)}`;
}
