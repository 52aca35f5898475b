import type { Defence, Side } from '../../base/schema/judgements/debate.ts';
import type { ContestedDecision } from '../../base/schema/judgements/design.ts';
import { pathsIn } from '../../base/text/citations.ts';
import type { RepositoryIndex } from '../../repo/index/repository-index.ts';
import { firstFilledLine } from '../../repo/index/snapshot.ts';
import { testNeighbours } from '../../repo/index/test-neighbours.ts';
import { counted, joined, opening } from './wording.ts';

/** One side of a decision, argued from the repository. It carries no mark of its author: ballots are blind. */
export function defend(index: RepositoryIndex, decision: ContestedDecision, side: Side): Defence {
  const [own, other] =
    side === 'THESIS' ? [decision.chosen, decision.alternative] : [decision.alternative, decision.chosen];
  const [mine, theirs] = [existing(index, own), existing(index, other)];
  const places = (mine.length > 0 ? mine : existing(index, decision.affectedFiles.join(' '))).slice(0, 3);
  const creates = pathsIn(own).filter(({ path }) => !index.byPath.has(path));
  return {
    steelman: `The best case for "${other}" is that ${theirs.length > 0 ? `${joined(theirs.slice(0, 2).map((path) => opening({ index }, path)))} already stands and is known` : 'it keeps what is new apart, so that nothing that works is touched'}.`,
    claim: `"${own}" is the better answer to "${decision.title}", because ${creates.length > 0 ? `what is new gets one place, ${creates[0]?.path ?? ''}, and no present file changes its job` : 'it builds on code that is there, has users and is tested'}.`,
    evidence: evidenceFor(index, places),
    strongestConcession: `It must be granted that ${creates.length > 0 ? 'one more file has to be found, wired and kept up' : `${places[0] ?? 'the present file'} grows and takes on a second subject`}.`,
    counterToOpposition: `That is not enough, since ${theirs.length > 0 ? `${theirs[0]} has ${counted(index.graph.importers.get(theirs[0] ?? '')?.length ?? 0, 'importer')} and would change for a reason none of them has` : 'the other way adds a part that nothing in the repository asks for yet'}.`,
    riskIfWrong: `If this wins and is wrong, the code is moved later: ${counted(decision.affectedFiles.length, 'file')} (${joined(decision.affectedFiles.slice(0, 4)) || 'none named'}) would be touched a second time.`,
    recommend: side,
  };
}

const existing = (index: RepositoryIndex, text: string): string[] => [
  ...new Set(
    pathsIn(text)
      .map(({ path }) => path)
      .filter((path) => index.byPath.has(path)),
  ),
];

/** What the repository shows for some files: a declaration with its line, who imports it, which tests stand around it. */
export function evidenceFor(index: RepositoryIndex, paths: readonly string[]): string {
  const parts = paths.map((path) => {
    const declared =
      index.declarationsOf(path).find(({ exported }) => exported) ?? index.declarationsOf(path)[0];
    const line = declared?.line ?? firstFilledLine(index.byPath.get(path)?.file.text ?? '');
    const importers = index.graph.importers.get(path)?.length ?? 0;
    const tests = testNeighbours(path, index.graph, index.tests).length;
    return `${path}:${line}${declared === undefined ? '' : ` declares ${declared.name}`}; importers: ${importers}, tests around it: ${tests}.`;
  });
  if (parts.length > 0) return parts.join(' ');
  const [any] = index.files;
  return any === undefined
    ? 'The repository is empty.'
    : `No affected file exists yet; the repository starts at ${opening({ index }, any.path)}.`;
}
