/** Whole numbers from one to another, each about as many times the one before. Ten leave five for the upper half. */
export function spread(from: number, to: number, count = 10): number[] {
  const ratio = (to / from) ** (1 / (count - 1));
  return Array.from({ length: count }, (_, index) => Math.round(from * ratio ** index));
}

/** Seats of a panel, as many in each half. */
export const seatSizes = [2, 3, 4, 5, 6, 8, 10, 12, 16, 20] as const;
