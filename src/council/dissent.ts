import { renderBlock, renderBlocks } from '../base/text/labelled-block.ts';
import { decisionId, type NumberedDecision } from './decisions.ts';
import type { RejectedFinding } from './outcome-files.ts';
import type { Resolution } from './resolutions.ts';

/** A position that lost, with its best argument and the reason it lost. */
export type Dissent = {
  subject: string;
  position: string;
  argument: string;
  heldBy: string;
  overruled: string;
};

/** Every overruled position: the losing side of each decision and each finding that was not taken up. */
export function dissents(
  decisions: readonly NumberedDecision[],
  resolutions: readonly Resolution[],
  rejected: readonly RejectedFinding[],
): Dissent[] {
  return [
    ...decisions.flatMap((decision) => {
      const resolution = resolutions.find(({ number }) => number === decision.number);
      return resolution ? [fromDecision(decision, resolution)] : [];
    }),
    ...rejected.map(({ finding, reviewer, reason, outcome }) => {
      const [title = '', ...rest] = finding.split('\n');
      return {
        subject: `Finding not taken up (${outcome})`,
        position: title,
        argument: rest.join('\n').trim() || title,
        heldBy: reviewer,
        overruled: reason,
      };
    }),
  ];
}

function fromDecision(decision: NumberedDecision, resolution: Resolution): Dissent {
  const alternativeWon = resolution.why.label === 'Why antithesis prevails';
  const summary = alternativeWon ? resolution.thesisSummary : resolution.antithesisSummary;
  const heard = resolution.disposition === 'voted' || resolution.disposition === 'fallback-to-synthesis';
  return {
    subject: `${decisionId(decision)}: ${decision.title}`,
    position: alternativeWon ? decision.chosen : decision.alternative,
    argument: heard && summary !== '' ? summary : decision.tension,
    heldBy: (alternativeWon ? decision.chosenSeats : decision.alternativeSeats).join(', ') || 'not recorded',
    overruled: reasonOf(resolution),
  };
}

/** Why a side lost; of what was never debated only the cause, not where the program skipped it. */
function reasonOf({ disposition, why }: Resolution): string {
  if (disposition === 'voted' || disposition === 'fallback-to-synthesis') return `${why.label}: ${why.text}`;
  return `Not debated (${why.text.split(' — ')[0]}); the synthesis stands.`;
}

/** The body of the dissent section of plan and report. */
export function renderDissent(entries: readonly Dissent[]): string {
  return renderBlocks(
    entries.map(({ subject, position, argument, heldBy, overruled }) =>
      renderBlock(
        subject,
        [
          ['Position', position],
          ['Best argument', argument],
          ['Held by', heldBy],
          ['Overruled', overruled],
        ],
        'bullet',
      ),
    ),
  ).trimEnd();
}
