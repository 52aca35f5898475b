import type { Plan } from '../../base/schema/judgements/plan.ts';
import type { Revision } from '../../base/schema/judgements/review.ts';
import { pathsIn } from '../../base/text/citations.ts';
import { fileKind } from '../../repo/index/file-kinds.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';

export type AcceptedItem = { id: string; title: string; concern: string; suggestedRevision: string };

type Step = { plan: Plan; resolution: string } | undefined;

/** Changes the plan for each accepted finding: by what it is about where the rules can tell, else as a point to observe. */
export function revisePlan(index: RepositoryIndex, plan: Plan, accepted: readonly AcceptedItem[]): Revision {
  let current = plan;
  const resolutions: Revision['resolutions'] = [];
  for (const item of accepted) {
    const step = removeClaim(current, item) ?? addPaths(index, current, item) ?? observe(current, item);
    current = step.plan;
    resolutions.push({ id: item.id, resolution: step.resolution });
  }
  return { plan: current, resolutions };
}

/** A claim the plan check refuted is taken back or corrected. */
function removeClaim(plan: Plan, { title, concern, id }: AcceptedItem): Step {
  const [, check, subject = ''] = /^Plan check: (\w+) (.+)$/.exec(title) ?? [];
  if (check === 'symbol') {
    return {
      plan: { ...plan, symbols: plan.symbols.filter(({ name }) => name !== subject) },
      resolution: `The plan no longer relies on ${subject} (${id}).`,
    };
  }
  if (check === 'command') {
    return {
      plan: { ...plan, commands: plan.commands.filter(({ command }) => !command.includes(subject)) },
      resolution: `The command "${subject}" is taken out (${id}).`,
    };
  }
  if (check === 'file') {
    const exists = /creates it, but it exists/.test(concern);
    const near = /nearest is (\S+?)[.;,]?(?:\s|$)/.exec(concern)?.[1];
    const files = plan.files.map((file) => {
      if (file.path !== subject) return file;
      if (exists) return { ...file, action: 'modify' as const };
      return near === undefined ? { ...file, action: 'new' as const } : { ...file, path: near };
    });
    return {
      plan: {
        ...plan,
        files: files.filter((file, at) => files.findIndex(({ path }) => path === file.path) === at),
      },
      resolution: exists
        ? `${subject} is modified, not created (${id}).`
        : near === undefined
          ? `${subject} is marked as new (${id}).`
          : `${subject} is corrected to ${near} (${id}).`,
    };
  }
  return undefined;
}

/** A file or test that was forgotten is added. */
function addPaths(index: RepositoryIndex, plan: Plan, { suggestedRevision, id }: AcceptedItem): Step {
  if (!/^Add /.test(suggestedRevision)) return undefined;
  const known = new Set(plan.files.map(({ path }) => path));
  const paths = [...new Set(pathsIn(suggestedRevision).map(({ path }) => path))].filter(
    (path) => index.byPath.has(path) && !known.has(path),
  );
  if (paths.length === 0) return undefined;
  const description = `Added for ${id}: ${suggestedRevision}`;
  const tests = paths.filter((path) => fileKind(path) === 'test');
  return {
    plan: {
      ...plan,
      files: [...plan.files, ...paths.map((path) => ({ path, action: 'modify' as const, description }))],
      tests: [...plan.tests, ...tests.map((path) => ({ path, description }))],
    },
    resolution: `${paths.join(', ')} added to the plan (${id}).`,
  };
}

function observe(plan: Plan, { id, title, suggestedRevision }: AcceptedItem): NonNullable<Step> {
  const point = `${id} (${title}): ${suggestedRevision}`.slice(0, 2000);
  return {
    plan: { ...plan, edgeCases: [...plan.edgeCases, point].slice(0, 100) },
    resolution: `Taken into the edge cases as a point to observe (${id}).`,
  };
}
