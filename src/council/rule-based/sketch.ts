import type { Sketch } from '../../base/schema/judgements/design.ts';
import { coChanges } from '../../repo/index/change-history.ts';
import { carrierOf, stepFor, touchedBy } from './change-steps.ts';
import { type Method, methods } from './methods.ts';
import { positionsOf, questions, wantsOwnFile } from './positions.ts';
import { risksOf } from './risks.ts';
import type { Study, Target } from './study.ts';
import { aim, counted, headed, joined, placesOf, reasonsOf, relationOf } from './wording.ts';

/** An approach by one method: where, what, why, each with a place in the repository. */
export function sketchBy(study: Study, method: Method): Sketch {
  const { feature, targets, precedents, tests } = study;
  const ownFile = wantsOwnFile(study, method);
  const carrier = carrierOf(study, ownFile);
  const all = touchedBy(study, carrier);
  const touched = method === 'smallest' ? best(all, 4) : all;
  const positions = positionsOf(study, method);
  const files = [
    ...(ownFile
      ? [{ path: study.newFile, reason: `New: \`${carrier.name}\`, which holds ${aim(study)}.` }]
      : []),
    ...touched.map((target) => ({
      path: target.path,
      reason: `${stepFor(study, target, carrier)} Found because ${reasonsOf(target)}.`,
    })),
    ...settingsFile(
      study,
      method,
      touched.map(({ path }) => path),
    ),
    ...testFiles(study, method),
    ...(method === 'history'
      ? companions(
          study,
          touched.map(({ path }) => path),
        )
      : []),
  ];
  const approach = [
    `By the method "${methods[method].title}": ${methods[method].rule}. For "${feature.title}" the repository has ${counted(targets.length, 'source file')} that fit and hang together${targets.length === 0 ? '' : `: ${joined(targets.map((target) => placesOf(target, 1)))}`}. ${positions[0]?.choice ?? ''}: ${positions[0]?.reason ?? ''}`,
    touched.map((target) => `${target.path}: ${stepFor(study, target, carrier)}`).join('\n'),
    [
      precedents.length === 0
        ? 'No earlier commit is like this one.'
        : `Nearest earlier commits: ${joined(precedents.map(({ id, subject }) => `"${subject}" (${id})`))}.`,
      tests.length === 0
        ? 'No test is near these files.'
        : `Tests around them: ${joined(tests.map(({ path, of }) => `${path} (for ${of})`))}.`,
    ].join(' '),
  ];
  const made =
    'This sketch was made by searching names, texts, imports, tests and the history of the repository for the words of the request; nothing in it rests on an understanding of what the words mean, so read the places it cites before you follow it.';
  return {
    summary: headed(`${methods[method].title}: ${positions[0]?.choice ?? aim(study)}`).slice(0, 400),
    approach: headed([...approach, made].filter(Boolean).join('\n\n')),
    decisions: positions,
    files: unique(files),
    risks: risksOf(study, method),
  };
}

/** The targets with the highest scores, still in the order of work. */
function best(targets: readonly Target[], count: number): Target[] {
  const kept = new Set(targets.toSorted((a, b) => b.score - a.score).slice(0, count));
  return targets.filter((target) => kept.has(target));
}

function settingsFile(study: Study, method: Method, touched: readonly string[]): Sketch['files'] {
  const { configuration } = study;
  if (configuration === undefined || method === 'smallest' || touched.includes(configuration.path)) return [];
  if (!positionsOf(study, method).some(({ title }) => title === questions.settings)) return [];
  return [{ path: configuration.path, reason: `Settings with defaults, beside ${placesOf(configuration)}.` }];
}

function testFiles(study: Study, method: Method): Sketch['files'] {
  const { tests, newTest } = study;
  if (!study.changesCode) return [];
  const first =
    tests.length === 0 || positionsOf(study, method).some(({ choice }) => choice.includes(newTest));
  const own = first
    ? [{ path: newTest, reason: `New, written before the code: the cases of ${aim(study)}.` }]
    : [];
  const existing = tests
    .slice(0, first ? 1 : 2)
    .map((test) => ({ path: test.path, reason: `It ${relationOf(test)}; extend its cases.` }));
  return [...own, ...existing];
}

/** Files that changed with the targets more often than not. */
function companions(study: Study, touched: readonly string[]): Sketch['files'] {
  return touched.flatMap((path) =>
    coChanges(study.index.history, path, 3)
      .filter(
        ({ share, together, path: other }) => together > 1 && share >= 0.5 && study.index.byPath.has(other),
      )
      .map(({ path: other, together }) => ({
        path: other,
        reason: `Changed together with ${path} in ${counted(together, 'earlier commit')}.`,
      })),
  );
}

const unique = (files: Sketch['files']): Sketch['files'] =>
  [...new Map(files.map((file) => [file.path, file] as const).reverse()).values()].reverse();
