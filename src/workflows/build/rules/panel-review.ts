import { type CodeReview, codeSeverities } from '../../../base/schema/judgements/lite.ts';

export type PanelVoice = { reviewer: string; review: CodeReview };

type Finding = CodeReview['findings'][number];

/**
 * Several reviews as one. A finding at the same place is one finding, with the gravest severity and the names of those who
 * made it; a criterion is met when more than half of the voices say so with evidence.
 */
export function mergeReviews(voices: readonly PanelVoice[]): CodeReview | undefined {
  const [only, ...others] = voices;
  if (only === undefined) return undefined;
  if (others.length === 0) return only.review;
  return {
    summary: voices.map(({ reviewer, review }) => `${reviewer}: ${review.summary}`).join('\n'),
    findings: mergeFindings(voices),
    criteria: mergeCriteria(voices),
  };
}

function mergeFindings(voices: readonly PanelVoice[]): Finding[] {
  const said = voices.flatMap(({ reviewer, review }) =>
    review.findings.map((finding) => ({ reviewer, finding })),
  );
  const places = Map.groupBy(said, ({ finding }) => `${finding.file}:${finding.line}`);
  const merged = [...places.values()].map((group): Finding => {
    const ranked = group.toSorted((a, b) => rank(a.finding) - rank(b.finding));
    const [gravest] = ranked;
    const names = [...new Set(group.map(({ reviewer }) => reviewer))].join(', ');
    const texts = [...new Set(ranked.map(({ finding }) => finding.description))].join(' / ');
    const finding = gravest?.finding as Finding;
    return { ...finding, description: `${texts} (${names})`.slice(0, 4000) };
  });
  return merged.toSorted((a, b) => rank(a) - rank(b)).slice(0, 100);
}

const rank = ({ severity }: Finding) => codeSeverities.indexOf(severity);

function mergeCriteria(voices: readonly PanelVoice[]): CodeReview['criteria'] {
  const all = voices.flatMap(({ reviewer, review }) =>
    review.criteria.map((criterion) => ({ reviewer, criterion })),
  );
  const groups = Map.groupBy(all, ({ criterion }) => `${criterion.task_id}#${criterion.number}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const backed = group.filter(({ criterion }) => criterion.met && (criterion.evidence ?? '') !== '');
    const met = backed.length * 2 > voices.length;
    const evidence = (met ? backed : group.filter(({ criterion }) => !criterion.met))
      .map(({ reviewer, criterion }) => `${reviewer}: ${criterion.evidence ?? 'no evidence'}`)
      .join('; ');
    return [
      {
        task_id: first.criterion.task_id,
        number: first.criterion.number,
        met,
        evidence: evidence === '' ? null : evidence.slice(0, 2000),
      },
    ];
  });
}
