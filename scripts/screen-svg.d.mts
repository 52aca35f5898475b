/** What a screen showed from a moment on, in milliseconds; the text has SGR sequences. */
export type Frame = { at: number; text: string };

export function animatedScreen(
  frames: readonly Frame[],
  size: { columns: number; rows: number; title: string },
): string;
