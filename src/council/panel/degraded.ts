/** C-07: how many usable sketches a run needs. */
export const sketchMinimum = { regular: 2, quick: 1 } as const;

/** C-07: why the sketches do not suffice; `undefined` when they do. */
export function sketchShortage(
  usable: number,
  seats: number,
  mode: keyof typeof sketchMinimum,
): string | undefined {
  const needed = Math.min(sketchMinimum[mode], seats);
  return usable >= needed
    ? undefined
    : `${usable} of ${seats} sketches are usable, at least ${needed} are needed`;
}

/** Appendix E: a vendor lost at run time. */
export function lostAgentWarning(title: string, reason: string, replacement: string | undefined): string {
  const next = replacement === undefined ? 'Its seats stay empty' : `Using ${replacement} replacement`;
  return `**⚠ ${title} failed — ${reason}. ${next} for remainder of session.**`;
}
