import type { Document } from '../document/document.ts';
import { findHeading } from './phase-file.ts';
import { readPhaseTable, readRoutingTable, routesByTable } from './phase-table.ts';

/** How a package is built; rules name the profiles they apply to. */
export const profiles = ['single', 'pipeline', 'router', 'loop'] as const;

export type Profile = (typeof profiles)[number];

/**
 * A package without phases is single; one with phases is a pipeline unless it routes or loops. A folder `phases/` whose
 * files have no numbers and which SKILL.md neither marks with Ref nor lists in a table holds documents of some other kind.
 */
export function detectProfile(
  skill: Document | undefined,
  phases: readonly { slug: string; document: { path: string } }[],
): Profile {
  const slugs = phases.map(({ slug }) => slug);
  if (skill === undefined) return slugs.length > 0 ? 'pipeline' : 'single';
  const numbered = phases.some(({ document }) => /^phases\/\d/.test(document.path));
  const namesPhases =
    /\bRef:\s*`?phases\/(?:\d|\w[\w-]*\.md)/.test(skill.text) ||
    findHeading(skill, /^phase reference documents$/i) !== undefined ||
    (slugs.length > 0 && readPhaseTable(skill) !== undefined);
  if (!numbered && !namesPhases && !routesByTable(skill, slugs)) return 'single';
  if (
    readRoutingTable(skill) !== undefined ||
    findHeading(skill, /^mode detection\s*(?:&|and)\s*routing$/i) !== undefined ||
    routesByTable(skill, slugs)
  ) {
    return 'router';
  }
  return findHeading(skill, /^loop control$/i) === undefined ? 'pipeline' : 'loop';
}
