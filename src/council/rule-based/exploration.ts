import type { Exploration } from '../../base/schema/judgements/lite.ts';
import { exploreFor } from './explore.ts';
import type { Study } from './study.ts';
import { joined, nameOf, placesOf, reasonsOf } from './wording.ts';

/** The look around in the form of lite plan; the rules see the same from every angle. */
export function explorationFor(study: Study): Exploration {
  const { targets, tests, nearby, configuration, wiring } = study;
  const look = exploreFor(study);
  const best = targets[0]?.score ?? 1;
  const files: Exploration['relevant_files'] = [
    ...targets.map((target) => ({
      path: target.path,
      relevance: Math.round((100 * target.score) / Math.max(best, target.score, 1e-9)),
      rationale: `Changes: ${reasonsOf(target)}.`,
      role: 'modify_target' as const,
      key_symbols: target.anchors.slice(0, 5).map(nameOf),
    })),
    ...[wiring].flatMap((target) =>
      target === undefined
        ? []
        : [file(target.path, 60, 'The program is put together here.', 'integration_point')],
    ),
    ...[configuration].flatMap((target) =>
      target === undefined ? [] : [file(target.path, 40, 'Settings of the program are here.', 'config')],
    ),
    ...tests.slice(0, 4).map(({ path, of }) => file(path, 50, `Tests ${of}.`, 'test_target')),
    ...nearby.slice(0, 3).map((path) => file(path, 20, 'Near, probably not touched.', 'context_only')),
  ];
  const unique = [...new Map([...files].reverse().map((each) => [each.path, each])).values()].reverse();
  return {
    project_structure: look.summary,
    relevant_files:
      unique.length > 0
        ? unique.slice(0, 60)
        : [file(study.newFile, 10, 'Nothing matches; it would be new.', 'context_only')],
    patterns: look.conventions.join(' ') || 'None were found by rule.',
    dependencies:
      targets
        .map(({ path, importers }) => `${path} is imported by ${joined(importers.slice(0, 4)) || 'nothing'}.`)
        .join(' ') || 'None were found by rule.',
    integration_points: targets.map((target) => placesOf(target)).join('; ') || 'None were found by rule.',
    constraints: look.constraints.join(' ') || 'None were found by rule.',
    clarification_needs: [],
  };
}

function file(
  path: string,
  relevance: number,
  rationale: string,
  role: Exploration['relevant_files'][number]['role'],
): Exploration['relevant_files'][number] {
  return { path, relevance, rationale, role, key_symbols: [] };
}
