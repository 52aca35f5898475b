/** Waits for work only until the signal fires. Nothing of it stays on a signal that outlives it. */
export async function raceAbort(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  try {
    await Promise.race([work, onAbort(signal, done.signal)]);
  } finally {
    done.abort();
  }
}

/** Resolves when the signal fires; `done` removes the listener from a signal that outlives the wait. */
export function onAbort(signal: AbortSignal, done?: AbortSignal): Promise<'stop'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('stop');
    const fire = () => resolve('stop');
    signal.addEventListener('abort', fire, { once: true });
    // By hand: the `signal` option of a listener was seen to leave it in place.
    done?.addEventListener('abort', () => signal.removeEventListener('abort', fire), { once: true });
  });
}
