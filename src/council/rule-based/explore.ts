import type { Explore } from '../../base/schema/judgements/design.ts';
import type { Study } from './study.ts';
import { aim, counted, headed, joined, placesOf, reasonsOf } from './wording.ts';

/** What a look around the repository brings for a feature. */
export function exploreFor(study: Study): Explore {
  const { feature, targets, tests, precedents, nearby, index } = study;
  return {
    summary: headed(
      `"${feature.title}": ${targets.length === 0 ? 'no source file matches' : `best matches are ${joined(targets.map((target) => placesOf(target, 1)))}`}. ${precedents.length === 0 ? '' : `Like "${precedents[0]?.subject ?? ''}" (${precedents[0]?.id ?? ''}).`}`.trim(),
    ),
    files: [
      ...targets.map((target) => ({
        path: target.path,
        role: `${target.role}; ${reasonsOf(target)}; see ${placesOf(target)}.`,
        line: target.anchors[0]?.line ?? 1,
      })),
      ...nearby.slice(0, 4).map((path) => ({ path, role: 'Near, probably not touched.', line: null })),
    ],
    conventions: conventionsOf(study),
    constraints: targets
      .filter(({ importers, surface }) => importers.length >= 3 || surface !== undefined)
      .map(
        ({ path, importers, surface }) =>
          `${path}: ${surface === undefined ? '' : `public (${surface.why}); `}imported by ${counted(importers.length, 'file')}.`,
      ),
    tests: tests.map(({ path, of, why }) => ({ path, covers: `${of} (${why})` })),
    unknowns: [
      `What ${aim(study)} means has not been understood by rules; only where it belongs.`,
      ...(index.snapshot.skipped.length === 0
        ? []
        : [`${counted(index.snapshot.skipped.length, 'file')} were not read.`]),
    ],
  };
}

function conventionsOf({ index, commands, tests }: Study): string[] {
  const documents = index.files
    .filter(({ path }) => /^(?:CONTRIBUTING|AGENTS|CLAUDE|STYLE|\.?editorconfig)[^/]*$/i.test(path))
    .map(({ path }) => path);
  return [
    ...(documents.length === 0 ? [] : [`Rules of the project are in ${joined(documents)}.`]),
    ...(tests[0] === undefined ? [] : [`Tests stand as ${tests[0].path}.`]),
    ...(commands.length === 0
      ? []
      : [`Changes are checked with ${joined(commands.map(({ command }) => `\`${command}\``))}.`]),
  ];
}
