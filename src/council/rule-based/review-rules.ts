import type { Plan } from '../../base/schema/judgements/plan.ts';
import type { Finding } from '../../base/schema/judgements/review.ts';
import { coChanges, commitsOf, subjectOf } from '../../repo/index/change-history.ts';
import { publicSurface } from '../../repo/index/public-api.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';
import { linesOf } from '../../repo/index/snapshot.ts';
import { holdsTests, testNeighbours } from '../../repo/index/test-neighbours.ts';
import type { Method } from './methods.ts';
import { counted, joined } from './wording.ts';

/** What can be seen to be missing from a plan; each finding cites a place that exists. */
export type ReviewRule = (index: RepositoryIndex, plan: Plan) => Finding[];

const modified = (index: RepositoryIndex, plan: Plan): string[] =>
  plan.files
    .filter(({ action, path }) => action === 'modify' && index.byPath.get(path)?.kind === 'source')
    .map(({ path }) => path);

const planned = (plan: Plan): Set<string> => new Set([...plan.files, ...plan.tests].map(({ path }) => path));

const manyImporters = 8;

function wideFiles(index: RepositoryIndex, plan: Plan): Finding[] {
  return modified(index, plan).flatMap((path) => {
    const users = (index.graph.importers.get(path) ?? []).filter((user) => !index.tests.tests.has(user));
    if (
      users.length < manyImporters ||
      plan.approach.includes('only add') ||
      plan.files.some((file) => file.path === path && /keep its present/i.test(file.description))
    )
      return [];
    return [
      finding('risk-integration', 'Latent', `${path} is used widely`, {
        concern: `${counted(users.length, 'file')} import ${path} (${joined(users.slice(0, 3))}); the plan does not say that its present signatures stay.`,
        suggestedRevision: `Say that ${path} only gains something, or list the callers that follow.`,
        at: path,
        index,
      }),
    ];
  });
}

/** The README describes the interface (it names a route or an exported name of the file) and the plan leaves it as it is. */
function undocumentedSurface(index: RepositoryIndex, plan: Plan): Finding[] {
  const surface = publicSurface(index);
  const known = planned(plan);
  const readme = index.files.find(({ path }) => /^readme\.[a-z]+$/i.test(path));
  const [path] = modified(index, plan).filter((file) => surface.has(file));
  if (path === undefined || readme === undefined || known.has(readme.path)) return [];
  const described = describedIn(index, path, readme.file.text);
  return [
    finding('code-quality', described === undefined ? 'Nit' : 'Important', `${readme.path} is not updated`, {
      concern: `${path} is public (${surface.get(path)?.why ?? ''}) and changes${described === undefined ? '' : `; ${readme.path} describes it (${described})`}, but the plan leaves ${readme.path} as it is.`,
      suggestedRevision: `Add ${readme.path} to the files, with what callers must know.`,
      at: readme.path,
      text: described,
      index,
    }),
  ];
}

/** A route or an exported name of the file that the text mentions. */
function describedIn(index: RepositoryIndex, path: string, text: string): string | undefined {
  const routes = [...(index.byPath.get(path)?.file.text ?? '').matchAll(/['"`](\/[\w:/-]{2,})['"`]/g)].map(
    (match) => match[1] ?? '',
  );
  const names = index.byPath.get(path)?.links.exports ?? [];
  return [...routes, ...names.filter((name) => name.length > 4)].find((word) => text.includes(word));
}

/** A file that the plan lists for change although it only wants to look at it. */
function onlyLookedAt(index: RepositoryIndex, plan: Plan): Finding[] {
  return plan.files
    .filter(
      ({ action, description }) => action === 'modify' && /^check (?:whether|that)\b/i.test(description),
    )
    .flatMap(({ path }) =>
      index.byPath.has(path)
        ? [
            finding('code-quality', 'Nit', `${path} may not need to change`, {
              concern: `The plan lists ${path} as modified, but its step is only to check it.`,
              suggestedRevision: `Look at ${path} before the work starts and take it out of the list when it can stay.`,
              at: path,
              index,
            }),
          ]
        : [],
    );
}

const openPoint = /\b(?:TODO|FIXME|HACK|XXX)\b/;

/** Marks that somebody left in a file that changes. */
function openPoints(index: RepositoryIndex, plan: Plan): Finding[] {
  return modified(index, plan).flatMap((path) => {
    const mark = linesOf(index.byPath.get(path)?.file.text ?? '')
      .find((line) => openPoint.test(line))
      ?.trim();
    if (mark === undefined || plan.approach.includes(mark)) return [];
    return [
      finding('correctness', 'Latent', `${path} has an open point`, {
        concern: `The code says "${mark.slice(0, 200)}"; the plan changes this file and does not say whether that stays true.`,
        suggestedRevision: 'Say whether the open point matters for this change.',
        at: path,
        text: mark,
        index,
      }),
    ];
  });
}

/** An interface is changed: its implementations must follow. */
function forgottenImplementations(index: RepositoryIndex, plan: Plan): Finding[] {
  const known = planned(plan);
  return modified(index, plan).flatMap((path) => {
    const interfaces = index
      .declarationsOf(path)
      .filter(({ kind, owner }) => kind === 'type' && owner === undefined)
      .map(({ name }) => name);
    const missing = (index.graph.importers.get(path) ?? []).filter((user) => {
      const text = index.byPath.get(user)?.file.text ?? '';
      return (
        !known.has(user) && interfaces.some((name) => new RegExp(`implements[^{]*\\b${name}\\b`).test(text))
      );
    });
    if (
      missing.length === 0 ||
      plan.files.some((file) => file.path === path && /only if/.test(file.description))
    )
      return [];
    return [
      finding('correctness', 'Important', `Implementations of ${path} are not in the plan`, {
        concern: `The plan changes ${path}, whose interface ${joined(missing)} ${missing.length === 1 ? 'implements' : 'implement'}; none of them is in its file list.`,
        suggestedRevision: `Add ${joined(missing)} to the files, or leave the interface as it is.`,
        at: missing[0] ?? path,
        index,
      }),
    ];
  });
}

function forgottenTests(index: RepositoryIndex, plan: Plan): Finding[] {
  const known = planned(plan);
  return modified(index, plan).flatMap((path) => {
    const near = testNeighbours(path, index.graph, index.tests).filter(
      ({ why, path: test }) => why !== 'imports an importer' && holdsTests(test),
    );
    const [first] = near;
    if (first === undefined || near.some((test) => known.has(test.path))) return [];
    return [
      finding('risk-integration', 'Important', `The tests of ${path} are not in the plan`, {
        concern: `${first.path} ${first.why === 'imports it' ? 'imports' : 'carries the name of'} ${path}, which changes; the plan names neither it nor another test of that file.`,
        suggestedRevision: `Add ${first.path} to the tests, with the cases that change.`,
        at: first.path,
        index,
      }),
    ];
  });
}

const companionShare = 0.6;

function forgottenCompanions(index: RepositoryIndex, plan: Plan): Finding[] {
  const known = planned(plan);
  return modified(index, plan).flatMap((path) => {
    const other = coChanges(index.history, path, 5).find(
      ({ share, together, path: name }) =>
        together >= 3 && share >= companionShare && !known.has(name) && index.byPath.has(name),
    );
    if (other === undefined) return [];
    const example = commitsOf(index.history, path).find(({ files }) => files.includes(other.path));
    return [
      finding('risk-integration', 'Latent', `${other.path} usually changes with ${path}`, {
        concern: `In ${other.together} of the commits that changed ${path}, ${other.path} changed too${example === undefined ? '' : `, last in "${subjectOf(example)}" (${example.id.slice(0, 10)})`}; the plan leaves it out.`,
        suggestedRevision: `Add ${other.path} to the files, or say why it stays as it is.`,
        at: other.path,
        index,
      }),
    ];
  });
}

type Parts = {
  concern: string;
  suggestedRevision: string;
  /** The file to cite, and the text in it; absent: its first filled line. */
  at: string;
  text?: string | undefined;
  index: RepositoryIndex;
};

function finding(
  focusArea: Finding['focusArea'],
  severity: Finding['severity'],
  title: string,
  { concern, suggestedRevision, at, text, index }: Parts,
): Finding {
  const lines = linesOf(index.byPath.get(at)?.file.text ?? '');
  const cited = text === undefined ? -1 : lines.findIndex((line) => line.includes(text));
  const line =
    cited === -1
      ? Math.max(
          0,
          lines.findIndex((filled) => filled.trim() !== ''),
        )
      : cited;
  const quote = lines[line]?.trim().slice(0, 400) ?? '';
  return {
    title: title.slice(0, 200),
    focusArea,
    severity,
    concern,
    suggestedRevision,
    citations: [{ file: at, line: line + 1, endLine: null, quote: quote === '' ? null : quote }],
    outOfScope: false,
  };
}

/** What each method looks for in a plan, besides the plan check that every seat makes. */
export const reviewRules: Readonly<Record<Method, readonly ReviewRule[]>> = {
  smallest: [wideFiles, onlyLookedAt],
  reuse: [undocumentedSurface, forgottenImplementations],
  'test-first': [forgottenTests, openPoints],
  history: [forgottenCompanions],
};
