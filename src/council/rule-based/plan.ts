import type { Synthesis } from '../../base/schema/judgements/design.ts';
import type { Plan } from '../../base/schema/judgements/plan.ts';
import { pathsIn } from '../../base/text/citations.ts';
import { type Carrier, carrierOf, stepFor, touchedBy } from './change-steps.ts';
import { risksOf } from './risks.ts';
import type { Study, Target } from './study.ts';
import { aim, cited, counted, headed, joined, nameOf, placesOf, reasonsOf, relationOf } from './wording.ts';

/** What the dialectic decided, as the plan must follow it. */
export type PlanResolution = {
  number: number;
  title: string;
  resolution: string;
  disposition: string;
  why?: string;
};

export type PlanSources = { synthesis?: Synthesis; resolutions: readonly PlanResolution[] };

/** A plan by rule: the files the search and the synthesis agree on, a step for each by its role, tests, commands, risks. */
export function planFor(study: Study, sources: PlanSources): Plan {
  const { feature, targets, commands } = study;
  const named = pathsOf(sources);
  const ownFile = named.has(study.newFile) || targets.length === 0;
  const carrier = carrierOf(study, ownFile);
  const touched = targetsFor(study, named, carrier);
  const files: Plan['files'] = [
    ...(ownFile
      ? [{ path: study.newFile, action: 'new' as const, description: newFileStep(study, carrier) }]
      : []),
    ...touched.map((target) => ({
      path: target.path,
      action: 'modify' as const,
      description: `${stepFor(study, target, carrier)} (Found because ${reasonsOf(target) || 'the synthesis names it'}.)`,
    })),
  ];
  const tests = testsFor(study, named, carrier);
  return {
    title: (feature.title.charAt(0).toUpperCase() + feature.title.slice(1)).slice(0, 160),
    summary: headed(summaryOf(study, carrier, touched, ownFile)),
    files: unique([
      ...files,
      ...tests.map(({ path, description }) => ({ path, action: actionOf(study, path), description })),
    ]),
    approach: headed(approachOf(study, carrier, touched, tests, sources)),
    edgeCases: edgeCasesOf(carrier, touched),
    failureModes: failureModesOf(study, carrier, touched),
    testing: testingOf(study, tests, carrier),
    tests,
    commands,
    symbols: symbolsOf(touched, carrier),
    decisions: sources.resolutions.map(({ number, resolution, disposition, why }) => ({
      id: `DECISION_${number}`,
      honoured:
        disposition === 'voted'
          ? `Followed: ${resolution}.${why === undefined ? '' : ` The panel's reason: ${why}`}`.slice(0, 3000)
          : `Stands as the synthesis has it (${disposition}): ${resolution}.`.slice(0, 3000),
    })),
  };
}

/** Paths that the synthesis and the resolutions speak for; those of losing sides are left out. */
function pathsOf({ synthesis, resolutions }: PlanSources): Set<string> {
  const decided = new Set(resolutions.map(({ title }) => title));
  const texts = [
    ...resolutions.map(({ resolution }) => resolution),
    ...(synthesis?.contested.filter(({ title }) => !decided.has(title)).map(({ chosen }) => chosen) ?? []),
    ...(synthesis?.agreements.map(({ point }) => point) ?? []),
    ...(synthesis?.ideas
      .filter(({ use, idea }) => use === 'adopted' && ![...decided].some((title) => idea.startsWith(title)))
      .map(({ idea }) => idea) ?? []),
  ];
  return new Set(texts.flatMap((text) => pathsIn(text).map(({ path }) => path)));
}

function targetsFor(study: Study, named: ReadonlySet<string>, carrier: Carrier): Target[] {
  const { targets, configuration } = study;
  const touched = touchedBy(study, carrier);
  const settings =
    configuration !== undefined && named.has(configuration.path) && !targets.includes(configuration);
  const known = touched.some(({ path }) => path === configuration?.path);
  return settings && !known ? [configuration, ...touched] : touched;
}

function testsFor(study: Study, named: ReadonlySet<string>, carrier: Carrier): Plan['tests'] {
  const { tests, newTest } = study;
  if (!study.changesCode) return [];
  const own = named.has(newTest) || tests.length === 0;
  return [
    ...(own
      ? [
          {
            path: newTest,
            description: `The cases of \`${carrier.name}\`: done, refused, at the limits; written before the code.`,
          },
        ]
      : []),
    ...tests.slice(0, own ? 1 : 2).map((test) => ({
      path: test.path,
      description: `It ${relationOf(test)}: add ${aim(study)} through it and keep the present cases as they are.`,
    })),
  ];
}

const actionOf = ({ index }: Study, path: string): 'new' | 'modify' =>
  index.byPath.has(path) ? 'modify' : 'new';

const newFileStep = (study: Study, carrier: Carrier): string =>
  `New: \`${carrier.name}\`, which holds the rules of ${aim(study)} and nothing else; time, storage and settings come in as arguments.`;

function summaryOf(study: Study, carrier: Carrier, touched: readonly Target[], ownFile: boolean): string {
  return `${study.feature.title}: \`${carrier.name}\` in ${ownFile ? 'the new file ' : ''}${carrier.file} carries it; ${counted(touched.length, 'existing source file')} change${touched.length === 1 ? 's' : ''}. Files, places and tests come from searching the repository at ${study.index.snapshot.commit.slice(0, 12)}; what the feature means has not been understood by anybody yet.`;
}

function approachOf(
  study: Study,
  carrier: Carrier,
  touched: readonly Target[],
  tests: Plan['tests'],
  { resolutions, synthesis }: PlanSources,
): string {
  const { precedents, nearby } = study;
  const steps = [
    ...tests.slice(0, 1).map(({ path }) => `Write the failing case first, in ${path}.`),
    ...touched.map((target) => `${target.path}: ${stepFor(study, target, carrier)}`),
    ...study.commands.slice(0, 1).map(({ command }) => `Run \`${command}\`.`),
  ].map((step, at) => `${at + 1}. ${step}`);
  const decided = resolutions.map(({ number, title, resolution, disposition, why }) =>
    disposition === 'voted'
      ? `DECISION_${number} (${title}) was voted: ${resolution}.${why === undefined ? '' : ` ${why}`}`
      : `DECISION_${number} (${title}) was not voted (${disposition}); the synthesis stands: ${resolution}.`,
  );
  return [
    `\`${carrier.name}\` in ${carrier.file} ${carrier.state === 'new' ? 'is the one place that knows' : 'is where it is done:'} ${aim(study)}.${carrier.file === study.newFile ? '' : ` It stands beside ${joined(touched.filter(({ path }) => path === carrier.file).map((target) => placesOf(target))) || carrier.file}.`}`,
    steps.join('\n'),
    ...(decided.length === 0 ? [] : [decided.join('\n')]),
    ...(precedents.length === 0
      ? []
      : [
          `Done before in a like manner: ${joined(precedents.map(({ id, subject, files }) => `"${subject}" (${id}; ${files.slice(0, 3).join(', ') || 'files since gone'})`))}.`,
        ]),
    ...(nearby.length === 0 ? [] : [`Looked at and left alone: ${joined(nearby.slice(0, 5))}.`]),
    ...(synthesis === undefined
      ? []
      : [
          `Trade-off: the synthesis was counted, not argued; ${counted(synthesis.contested.length, 'point')} stayed contested.`,
        ]),
  ].join('\n\n');
}

function edgeCasesOf(carrier: Carrier, touched: readonly Target[]): string[] {
  const table = touched.flatMap(({ path, anchors }) =>
    anchors
      .filter(({ name, owner }) => owner === undefined && /Status|State|Kind|allowed/.test(name))
      .map((anchor) => cited(path, anchor)),
  );
  return [
    `What \`${carrier.name}\` is given does not exist or belongs to somebody else: refuse as the neighbouring functions do.`,
    ...(table.length === 0
      ? []
      : [
          `It is asked for in a state that does not allow it: ${joined(table)} ${table.length === 1 ? 'decides' : 'decide'}, and the refusal is tested.`,
        ]),
    'It is asked for twice, or twice at the same time: the second time changes nothing.',
    ...(touched.some(({ role }) => role === 'storage' || role === 'service')
      ? [
          'It fails half way: what was already changed is put back, or the order of steps makes that unnecessary.',
        ]
      : []),
    ...(touched.some(({ role }) => role === 'configuration')
      ? ['A setting is missing, zero or no number: the default holds or the start is refused with its name.']
      : []),
  ];
}

function failureModesOf(study: Study, carrier: Carrier, touched: readonly Target[]): Plan['failureModes'] {
  const warning = study.tests[0] === undefined ? 'None: no test is near.' : `${study.tests[0].path} fails.`;
  const keeps = touched.some(({ role }) => role === 'storage' || role === 'service');
  const half = {
    failure: `\`${carrier.name}\` fails half way and leaves records that do not fit together.`,
    warning: 'A record in a state that no test expects; an error in the log between two writes.',
    mitigation: 'Do what can be refused first, write last, and test the failure of each step.',
  };
  const seen = risksOf(study, 'reuse').map(({ risk, mitigation }) => ({
    failure: risk,
    warning,
    mitigation,
  }));
  return [...(keeps || seen.length === 0 ? [half] : []), ...seen].slice(0, 3);
}

function testingOf(study: Study, tests: Plan['tests'], carrier: Carrier): string {
  const run = study.commands.map(({ command }) => `\`${command}\``);
  if (!study.changesCode) {
    return `No source file changes. ${run.length === 0 ? 'Read the result as people will see it.' : `Run ${joined(run)} and read the result as people will see it.`}`;
  }
  return [
    `Test \`${carrier.name}\` directly and once through the outermost layer that offers it.`,
    ...tests.map(({ path, description }) => `- ${path}: ${description}`),
    run.length === 0
      ? 'The repository names no command that runs tests.'
      : `Run ${joined(run)}; everything that passed before still passes.`,
  ].join('\n');
}

function symbolsOf(touched: readonly Target[], carrier: Carrier): Plan['symbols'] {
  const known = touched
    .filter(({ role }) => role !== 'document')
    .flatMap(({ path, anchors }) =>
      anchors.slice(0, 2).map((anchor) => ({ name: nameOf(anchor), file: path, state: 'existing' as const })),
    );
  return [
    ...(carrier.name === carrier.file ? [] : [carrier]),
    ...known.filter(({ name }) => name !== carrier.name),
  ].slice(0, 40);
}

const unique = (files: Plan['files']): Plan['files'] =>
  [...new Map([...files].reverse().map((file) => [file.path, file])).values()].reverse();
