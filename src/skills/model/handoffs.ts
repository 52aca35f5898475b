import type { PhaseFile } from './phase-file.ts';
import type { Reference } from './references.ts';

/** The direct handoff of a phase: the first `Read("phases/…")` of another phase in one of its fences. */
export function handoffOf(
  phase: PhaseFile,
  phases: readonly PhaseFile[],
  references: readonly Reference[],
): { target: PhaseFile; line: number } | undefined {
  const found = references.find(
    ({ kind, document, target, zone }) =>
      kind === 'read' && zone === 'fence' && document === phase.document && target !== phase.document.path,
  );
  const target = phases.find(({ document }) => document.path === found?.target);
  return found === undefined || target === undefined ? undefined : { target, line: found.line };
}

/** The first circle in which phases hand over to each other, such as `[1, 2, 1]`; each phase hands over to one at most. */
export function handoffCycle(next: ReadonlyMap<number, number>): number[] | undefined {
  const settled = new Set<number>();
  for (const start of next.keys()) {
    const path: number[] = [];
    let at: number | undefined = start;
    while (at !== undefined && !settled.has(at)) {
      const seen = path.indexOf(at);
      if (seen >= 0) return [...path.slice(seen), at];
      path.push(at);
      at = next.get(at);
    }
    for (const number of path) settled.add(number);
  }
  return undefined;
}
