/** The most that a figure may be. */
export type Goal = { most: number; unit: Unit };

export type Unit = keyof typeof units;

/** Ratios, shares and counts of one run fail a bench. Times and memory depend on the machine: they are judged, nothing more. */
const units = {
  '×': { shown: '×', gates: true },
  '%': { shown: ' %', gates: true },
  calls: { shown: '', gates: true },
  ms: { shown: ' ms', gates: false },
  MB: { shown: ' MB', gates: false },
} as const;

export function shownGoal(goal: Goal | undefined): string {
  return goal === undefined ? '' : `≤ ${goal.most}${units[goal.unit].shown}`;
}

/** Judges figures against their goals, and remembers those that a bench has to fail for. */
export class Verdicts {
  readonly #missed: string[] = [];

  /** The cells for goal and verdict; `what` names the figure in the line about a missed one. */
  judge(what: string, value: number, goal: Goal | undefined): [goal: string, verdict: string] {
    if (goal === undefined) return ['', ''];
    const { shown, gates } = units[goal.unit];
    const holds = value <= goal.most;
    if (!holds && gates) this.#missed.push(`missed: ${what}: ${rounded(value)}${shown}, ${shownGoal(goal)}`);
    return [shownGoal(goal), holds ? 'holds' : gates ? 'MISSED' : 'missed here'];
  }

  get missed(): readonly string[] {
    return this.#missed;
  }

  /** Says what was missed and makes the process fail for it. */
  conclude(): void {
    if (this.#missed.length === 0) return;
    process.stdout.write(`\n${this.#missed.join('\n')}\n`);
    process.exitCode = 1;
  }
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(4)));
}
