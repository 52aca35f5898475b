import type { Plan } from '../../base/schema/judgements/plan.ts';
import type { Study, Target } from './study.ts';
import { addAnAgent, counted, headed, joined, nameOf, placesOf, reasonsOf, relationOf } from './wording.ts';

/**
 * The scout's brief in the form of a plan: what a search of the repository found, and nothing that it did not. Alone it says how to
 * add an agent; in a panel it is evidence for the others.
 */
export function briefAsPlan(study: Study, { alone }: { alone: boolean }): Plan {
  const { title, targets, tests, commands, newFile } = study;
  const files: Plan['files'] = targets.map((target) => ({
    path: target.path,
    action: 'modify',
    description: fileText(target),
  }));
  const near = tests.slice(0, 4);
  return {
    title: (title.charAt(0).toUpperCase() + title.slice(1)).slice(0, 160),
    summary: alone ? `${summaryOf(study)}\n\n${addAnAgent}` : summaryOf(study),
    files:
      files.length > 0
        ? files
        : [{ path: newFile, action: 'new', description: 'No file of the repository matches the request.' }],
    approach: approachOf(study),
    edgeCases: ['Not designed: a search finds places, not edge cases. List them before you build.'],
    failureModes: risksOf(study),
    testing: testingOf(study),
    tests: near.map((test) => ({ path: test.path, description: `It ${relationOf(test)}.` })),
    commands,
    symbols: targets
      .filter(({ kind }) => kind === 'source')
      .flatMap(({ path, anchors }) =>
        anchors
          .slice(0, 2)
          .map((anchor) => ({ name: nameOf(anchor), file: path, state: 'existing' as const })),
      )
      .slice(0, 40),
    decisions: [],
  };
}

function summaryOf({ index, targets }: Study): string {
  const found =
    targets.length === 0
      ? 'The search found no file that matches.'
      : `The search found ${counted(targets.length, 'file')} that this change probably touches.`;
  return `${headed(`This is a brief, not a design: a search of the repository at ${index.snapshot.commit.slice(0, 12)} made it.`)} ${found}`;
}

function fileText(target: Target): string {
  const { importers, surface } = target;
  return [
    `Found because ${reasonsOf(target)}.`,
    `See ${placesOf(target, 3)}.`,
    ...(importers.length === 0
      ? []
      : [`${counted(importers.length, 'file')} import${importers.length === 1 ? 's' : ''} it.`]),
    ...(surface === undefined ? [] : [`It is public: ${surface.why}.`]),
  ].join(' ');
}

function approachOf(study: Study): string {
  const { targets, nearby } = study;
  const places = targets.map((target, at) => `${at + 1}. ${placesOf(target, 2)}`);
  return [
    places.length === 0
      ? 'Nothing in the repository matches the words of the request. Name a file, a function or an error message.'
      : `Read these places first, best match first:\n${places.join('\n')}`,
    historyText(study),
    ...(nearby.length === 0 ? [] : [`Near, probably not changed: ${joined(nearby.slice(0, 5))}.`]),
  ].join('\n\n');
}

/** Says nothing about a history that the repository does not have. */
function historyText({ index, precedents }: Study): string {
  if (index.history.commits.length === 0) return 'History: none was available to search.';
  if (precedents.length === 0) return 'History: no earlier commit uses the words of the request.';
  return [
    'Similar changes in history:',
    ...precedents.map(
      ({ id, subject, files }) =>
        `- ${id} "${subject}"${files.length === 0 ? '' : `: ${files.slice(0, 4).join(', ')}`}`,
    ),
  ].join('\n');
}

const mostRisks = 4;

/** Risks that the repository shows. */
function risksOf({ targets, index }: Study): Plan['failureModes'] {
  const sources = targets.filter(({ kind }) => kind === 'source');
  const commits = (path: string) => index.history.touches.get(path)?.length ?? 0;
  const found = [
    ...sources
      .filter(({ importers }) => importers.length >= 3)
      .map(({ path, importers }) => ({
        failure: `${path} is imported by ${counted(importers.length, 'file')} (${joined(importers.slice(0, 3))}); a changed signature breaks them.`,
        warning: 'A type check or a test of an importing file fails.',
        mitigation: 'Add to it; keep existing signatures and results.',
      })),
    ...sources.flatMap(({ path, surface }) =>
      surface === undefined
        ? []
        : [
            {
              failure: `${path} is public (${surface.why}); callers outside the repository cannot be seen.`,
              warning: 'A user of the public interface reports a change.',
              mitigation: 'Add to it, and document the addition.',
            },
          ],
    ),
    ...sources
      .filter(({ tests }) => tests.length === 0)
      .map(({ path }) => ({
        failure: `No test covers ${path}; a regression stays unseen.`,
        warning: 'None: no test exists.',
        mitigation: 'Test its present behaviour before you change it.',
      })),
    ...sources
      .filter(({ path }) => commits(path) >= 5)
      .map(({ path }) => ({
        failure: `${path} changed in ${counted(commits(path), 'earlier commit')}; other work may conflict with this change.`,
        warning: 'A merge conflict in this file.',
        mitigation: 'Keep the change to it small.',
      })),
  ];
  return found.length > 0 ? found.slice(0, mostRisks) : [unknownRisk];
}

const unknownRisk = {
  failure: 'The search sees no risk in these files, and it does not understand the request.',
  warning: 'None.',
  mitigation: 'Ask a model or a person to review this brief.',
};

function testingOf({ tests, commands }: Study): string {
  const run = commands.map(({ command }) => `\`${command}\``);
  return [
    tests.length === 0
      ? 'The search found no test near these files.'
      : `Tests to extend:\n${tests.map((test) => `- ${test.path}: ${relationOf(test)}`).join('\n')}`,
    run.length === 0 ? 'The repository names no command that runs tests.' : `Run ${joined(run)}.`,
  ].join('\n\n');
}
