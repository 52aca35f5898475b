import type { Document } from '../document/document.ts';
import { findHeading } from './phase-file.ts';
import { readRoutingTable, routesByTable } from './phase-table.ts';

/** How a package is built; rules name the profiles they apply to. */
export const profiles = ['single', 'pipeline', 'router', 'loop'] as const;

export type Profile = (typeof profiles)[number];

/** A package without phases is single; one with phases is a pipeline unless it routes or loops. */
export function detectProfile(skill: Document | undefined, slugs: readonly string[]): Profile {
  if (skill === undefined) return slugs.length > 0 ? 'pipeline' : 'single';
  const namesPhases =
    /\bRef:\s*`?phases\/\d/.test(skill.text) ||
    findHeading(skill, /^phase reference documents$/i) !== undefined;
  if (slugs.length === 0 && !namesPhases) return 'single';
  if (
    readRoutingTable(skill) !== undefined ||
    findHeading(skill, /^mode detection\s*(?:&|and)\s*routing$/i) !== undefined ||
    routesByTable(skill, slugs)
  ) {
    return 'router';
  }
  return findHeading(skill, /^loop control$/i) === undefined ? 'pipeline' : 'loop';
}
