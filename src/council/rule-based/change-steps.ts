import type { Declaration } from '../../repo/index/declarations.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';
import { pathTerms, termsOf } from '../../repo/index/words.ts';
import { changesExisting } from './feature.ts';
import type { FileRole } from './file-role.ts';
import type { Study, Target } from './study.ts';
import { aim, cited, counted, nameOf, placesOf } from './wording.ts';

/** The symbol the change is about, in which file, and whether it is there already. */
export type Carrier = { name: string; file: string; state: 'new' | 'existing' };

/** The existing file that is nearest to the change: for something done to a thing, the service of that thing. */
export function homeOf({
  targets,
  feature,
  index,
}: Pick<Study, 'targets' | 'feature' | 'index'>): Target | undefined {
  const inner = targets.filter(({ role }) => role !== 'composition');
  const acts = feature.intent === 'ability' || feature.intent === 'change';
  const services = acts ? inner.filter(({ role, path }) => role === 'service' && classOf(index, path)) : [];
  const about = new Set(feature.subject.flatMap((word) => [...termsOf(word)]));
  const service =
    services.find(({ path }) => [...pathTerms(path).keys()].some((term) => about.has(term))) ?? services[0];
  return service ?? inner[0] ?? targets[0];
}

/** The function or method that carries what is new: on the class of its home, else a function, or in a file of its own. */
export function carrierOf(study: Study, ownFile: boolean): Carrier {
  const { feature, index } = study;
  const home = homeOf(study);
  if (ownFile || home === undefined) return { name: feature.camel, file: study.newFile, state: 'new' };
  if (isText(home)) return { name: home.path, file: home.path, state: 'existing' };
  const known = changesExisting(feature) ? repairedSymbol(home) : undefined;
  if (known !== undefined) return { name: nameOf(known), file: home.path, state: 'existing' };
  const holder = home.role === 'service' ? classOf(index, home.path) : undefined;
  if (holder === undefined) return { name: feature.camel, file: home.path, state: 'new' };
  const method = feature.intent === 'ability' ? feature.verb : feature.camel;
  return { name: `${holder.name}.${method}`, file: home.path, state: 'new' };
}

/** What is put right: the best match that does something, else the best match. */
const repairedSymbol = ({ anchors }: Target): Declaration | undefined =>
  anchors.find(({ kind }) => kind === 'method' || kind === 'function') ?? anchors[0];

const roleOrder: readonly FileRole[] = [
  'errors',
  'configuration',
  'interface',
  'storage',
  'rules',
  'service',
  'middleware',
  'routes',
  'composition',
  'test',
  'document',
];

/** The targets that change, in the order of work. What puts the program together changes only for something new. */
export function touchedBy({ targets, newFile, wiring }: Study, carrier: Carrier): Target[] {
  const all = wiring !== undefined && carrier.file === newFile ? [...targets, wiring] : targets;
  return all
    .filter(({ role, path }) => role !== 'composition' || carrier.file === newFile || carrier.file === path)
    .toSorted((a, b) => roleOrder.indexOf(a.role) - roleOrder.indexOf(b.role));
}

const classOf = (index: RepositoryIndex, path: string) =>
  index.declarationsOf(path).find(({ kind, exported }) => kind === 'class' && exported);

/** What changes in a target, by its role; always with the place. */
export function stepFor(study: Study, target: Target, carrier: Carrier): string {
  return stepText(study, target, carrier).trim();
}

function stepText(study: Study, target: Target, carrier: Carrier): string {
  const places = placesOf(target);
  const table = target.anchors.find(
    ({ name, owner }) => owner === undefined && /Status|State|Kind|allowed/.test(name),
  );
  if (carrier.state === 'existing') return repairStep(study, target, carrier);
  if (target.path === carrier.file) {
    const model = modelFor(study, target, carrier);
    return `Add \`${carrier.name}\` ${model}. ${guard(target)}`.trim();
  }
  switch (target.role) {
    case 'routes':
      return `Expose it: register the request beside those in ${places} and pass it to \`${carrier.name}\`. ${guard(target)}`;
    case 'middleware':
      return `Call \`${carrier.name}\` from ${places} before the request is answered, so that every request passes it. ${guard(target)}`;
    case 'composition':
      return `Wire it up in ${places}: construct what \`${carrier.name}\` needs and hand it in.`;
    case 'configuration':
      return `Add its settings to ${places}, each with a default and a check of the value.`;
    case 'errors':
      return `Add the error that callers see when ${aim(study)} is refused, in the manner of ${places}.`;
    case 'storage':
      return `Check whether ${places} must keep something new for ${aim(study)}; extend it only if so, in every implementation.`;
    case 'interface':
      return `Check whether what \`${carrier.name}\` needs is already in ${places}; extend it and all implementations only if it is not.`;
    case 'document':
      return `Describe ${aim(study)} here; see ${placesOf(target)}.`;
    case 'test':
      return `Add the cases of ${aim(study)} beside ${placesOf(target)}.`;
    case 'service':
    case 'rules':
      return table === undefined
        ? `Use or extend ${places} from \`${carrier.name}\`. ${guard(target)}`
        : `Extend ${cited(target.path, table)} by the case of ${aim(study)}; every place that lists its values follows. ${guard(target)}`;
  }
}

const isText = ({ role }: Target): boolean => role === 'document' || role === 'test';

function repairStep(study: Study, target: Target, carrier: Carrier): string {
  if (isText(target)) return `Bring it in line with ${aim(study)}; see ${placesOf(target)}.`;
  if (target.path === carrier.file) {
    return `Put \`${carrier.name}\` right (see ${placesOf(target, 3)}): ${aim(study)}. ${guard(target)}`;
  }
  return `Check that ${placesOf(target)} still fits \`${carrier.name}\` afterwards; change it only where it relied on the old behaviour. ${guard(target)}`;
}

function modelFor(study: Study, target: Target, carrier: Carrier): string {
  const owner = carrier.name.split('.').at(-2);
  const siblings = study.index
    .declarationsOf(target.path)
    .filter((declaration) => declaration.owner === owner && declaration.name !== 'constructor')
    .filter(({ kind, name }) => (kind === 'method' || kind === 'function') && !name.startsWith('#'));
  const [model] = siblings;
  return model === undefined
    ? `beside ${placesOf(target)}`
    : `beside \`${nameOf(model)}\` (${target.path}:${model.line}), in its manner`;
}

function guard({ importers, surface }: Target): string {
  const parts = [
    importers.length >= 3
      ? `${counted(importers.length, 'file')} import it: keep its present signature.`
      : '',
    surface === undefined ? '' : `It is public (${surface.why}): only add.`,
  ];
  return parts.filter(Boolean).join(' ');
}
