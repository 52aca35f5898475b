import { formatElapsed } from '../../base/text/strings.ts';
import type { Place } from '../../council/call/once.ts';
import { Desk } from '../design/desk.ts';
import type { ReviewInputs } from './inputs.ts';

/** A council that reviews what exists: seats, budget and losses as in a design, with separate lines. */
export class ReviewDesk extends Desk<ReviewInputs> {
  protected override readonly command = 'review';
  /** a checkout of what is reviewed; everybody reads there. */
  place: Place | undefined;

  /** The health check is the same as that of a design. */
  override begin(): void {
    this.stage('setup', 'agents and seats');
  }

  stage(phase: string, title: string): void {
    this.open(phase, `▸ ${title}`);
  }

  override end(text?: string): void {
    this.close(text === undefined ? undefined : `✓ ${text} (${formatElapsed(this.elapsedMs)})`);
  }
}
