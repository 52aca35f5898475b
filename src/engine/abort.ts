/** Waits for work only until the signal fires. Nothing of it stays on a signal that outlives it. */
export async function raceAbort(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const left = new AbortController();
  try {
    await Promise.race([work, onAbort(signal, left.signal)]);
  } finally {
    left.abort();
  }
}

/** Resolves when the signal fires; `left` takes the listener off a signal that outlives whoever waits. */
export function onAbort(signal: AbortSignal, left?: AbortSignal): Promise<'stop'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('stop');
    const hear = () => resolve('stop');
    signal.addEventListener('abort', hear, { once: true });
    // By hand: the `signal` option of a listener was seen to leave it in place.
    left?.addEventListener('abort', () => signal.removeEventListener('abort', hear), { once: true });
  });
}
