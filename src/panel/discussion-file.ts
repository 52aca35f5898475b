import { renderBlock, renderBlocks } from '../text/labelled-block.ts';

/** L-180: one settled point of a discussion, or one clarification (C-06). */
export type DiscussionEntry = {
  title: string;
  question: string;
  resolution: string;
  source: 'user' | 'codebase';
};

/** `discussion-round1.md`, `discussion-round2.md` and `clarifications.md`. */
export function renderDiscussion(entries: readonly DiscussionEntry[]): string {
  return renderBlocks(
    entries.map(({ title, question, resolution, source }, index) =>
      renderBlock(
        `Decision ${index + 1}: ${title}`,
        [
          ['Question', question],
          ['Resolution', resolution],
          ['Source', source],
        ],
        'bullet',
      ),
    ),
  );
}
