import { homeOf } from './change-steps.ts';
import { changesExisting } from './feature.ts';
import type { Method } from './methods.ts';
import type { Study } from './study.ts';
import { cited, counted, joined, opening, placesOf, relationOf } from './wording.ts';

/** What one seat holds on one question. The questions are the same for all seats, so that positions can be compared. */
export type Position = { title: string; choice: string; reason: string };

export const questions = {
  place: 'Where the change lives',
  tests: 'Which tests carry it',
  settings: 'Where its settings come from',
} as const;

/** Whether a method puts what is new into a file of its own. */
export function wantsOwnFile(study: Study, method: Method): boolean {
  const { isNew, feature, precedents, targets } = study;
  if (targets.length === 0) return true;
  if (method === 'smallest' || changesExisting(feature) || !study.changesCode) return false;
  if (method === 'history')
    return (
      precedents.length > 0 &&
      precedents.filter(({ addedFiles }) => addedFiles).length * 2 > precedents.length
    );
  return isNew && (feature.intent === 'addition' || feature.intent === 'change');
}

export function positionsOf(study: Study, method: Method): Position[] {
  if (!study.changesCode) return [placePosition(study, method)];
  return [placePosition(study, method), testsPosition(study, method), ...settingsPosition(study, method)];
}

function placePosition(study: Study, method: Method): Position {
  const { newFile, precedents } = study;
  const home = homeOf(study);
  const title = questions.place;
  const precedent = precedents[0];
  if (home === undefined || wantsOwnFile(study, method)) {
    const model =
      method === 'history' && precedent !== undefined
        ? ` as "${precedent.subject}" (${precedent.id}) did`
        : '';
    return {
      title,
      choice: `A module of its own, ${newFile}`,
      reason: `${home === undefined ? 'No existing file matches.' : `It leaves ${placesOf(home)} alone`}${model}; the cost is one more file to wire up.`,
    };
  }
  const why =
    precedent !== undefined && method === 'history'
      ? `"${precedent.subject}" (${precedent.id}) changed existing files`
      : `it is the best match (${home.signals[0]?.signal ?? 'words'})`;
  return {
    title,
    choice: `Extend ${home.path}; no new source file`,
    reason: `${placesOf(home)}: ${why}; the cost is that ${home.path} grows.`,
  };
}

function testsPosition(study: Study, method: Method): Position {
  const { tests, newTest, index } = study;
  const title = questions.tests;
  const [nearest] = tests;
  const ownModule = wantsOwnFile(study, method);
  if (method === 'test-first' || nearest === undefined || ownModule) {
    return {
      title,
      choice: `A test file of its own, ${newTest}, written before the code`,
      reason:
        nearest === undefined
          ? 'No test is near the files that change.'
          : `${opening(study, nearest.path)} ${relationOf(nearest)} but has other subjects; a failing test of its own shows when the change is done.`,
    };
  }
  const first = index.declarationsOf(nearest.path)[0];
  return {
    title,
    choice: `Extend ${nearest.path}`,
    reason: `It ${relationOf(nearest)}${first === undefined ? ` (${opening(study, nearest.path)})` : `, see ${cited(nearest.path, first)}`}; its set-up can be used again.`,
  };
}

function settingsPosition(study: Study, method: Method): Position[] {
  const { configuration, feature } = study;
  if (configuration === undefined || feature.intent !== 'addition') return [];
  const title = questions.settings;
  if (method === 'smallest') {
    return [
      {
        title,
        choice: 'Constants beside the code that uses them',
        reason: `Nobody has asked to set them; ${opening(study, configuration.path)} stays as it is.`,
      },
    ];
  }
  return [
    {
      title,
      choice: `Settings in ${configuration.path}`,
      reason: `All others are there: ${placesOf(configuration)}, used by ${counted(configuration.importers.length, 'file')}${configuration.importers.length === 0 ? '' : ` (${joined(configuration.importers.slice(0, 2))})`}.`,
    },
  ];
}
