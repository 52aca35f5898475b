import { groundPlan } from '../../plan/grounding.ts';
import type { CommandLookup } from '../../plan/grounding-commands.ts';
import type { DecidedPoint } from '../../plan/grounding-decisions.ts';
import { reviewFromGrounding } from '../../plan/grounding-review.ts';
import type { Finding, Review } from '../../schema/judgements/finding.ts';
import type { Plan } from '../../schema/judgements/plan.ts';
import { coChanges, commitsOf, subjectOf } from '../change-history.ts';
import { publicSurface } from '../public-api.ts';
import type { RepositoryIndex } from '../repository-index.ts';
import { holdsTests, testNeighbours } from '../test-neighbours.ts';
import type { Method } from './methods.ts';
import { counted, headed, joined } from './wording.ts';

export type ReviewInputs = { decided: readonly DecidedPoint[]; lookup: CommandLookup };

type Rule = (index: RepositoryIndex, plan: Plan) => Finding[];

/** What each method looks for in a plan, besides the plan check that every seat makes. */
const rules: Readonly<Record<Method, readonly Rule[]>> = {
  smallest: [wideFiles],
  reuse: [undocumentedSurface, forgottenImplementations],
  'test-first': [forgottenTests],
  history: [forgottenCompanions],
};

/** Reviews a plan by rule; each finding cites a place that exists. */
export function reviewPlan(
  index: RepositoryIndex,
  plan: Plan,
  method: Method,
  { decided, lookup }: ReviewInputs,
): Review {
  const grounding = reviewFromGrounding(groundPlan(index, plan, { decided, lookup }), index).findings;
  const own = rules[method].flatMap((rule) => rule(index, plan));
  return {
    findings: [...grounding, ...own]
      .slice(0, 30)
      .map((finding) => ({ ...finding, concern: headed(finding.concern) })),
  };
}

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

function undocumentedSurface(index: RepositoryIndex, plan: Plan): Finding[] {
  const surface = publicSurface(index);
  const touched = modified(index, plan).filter((path) => surface.has(path));
  const readme = index.files.find(({ path }) => /^readme\.[a-z]+$/i.test(path));
  if (touched.length === 0 || readme === undefined || planned(plan).has(readme.path)) return [];
  const [path = ''] = touched;
  return [
    finding('code-quality', 'Nit', `${readme.path} is not updated`, {
      concern: `${joined(touched)} ${touched.length === 1 ? 'is' : 'are'} public (${surface.get(path)?.why ?? ''}), and ${readme.path} describes the interface, but the plan leaves it as it is.`,
      suggestedRevision: `Add ${readme.path} to the files, with what callers must know.`,
      at: readme.path,
      index,
    }),
  ];
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

type Parts = { concern: string; suggestedRevision: string; at: string; index: RepositoryIndex };

function finding(
  focusArea: Finding['focusArea'],
  severity: Finding['severity'],
  title: string,
  { concern, suggestedRevision, at, index }: Parts,
): Finding {
  const lines = (index.byPath.get(at)?.file.text ?? '').split('\n');
  const line = Math.max(
    0,
    lines.findIndex((text) => text.trim() !== ''),
  );
  const quote = lines[line]?.trim().slice(0, 400);
  return {
    title: title.slice(0, 200),
    focusArea,
    severity,
    concern,
    suggestedRevision,
    citations: [
      { file: at, line: line + 1, endLine: null, quote: quote === undefined || quote === '' ? null : quote },
    ],
    outOfScope: false,
  };
}
