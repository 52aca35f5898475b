/**
 * Runs a prompt and cancels it as Ctrl-C would when the signal aborts. The prompt library's own signal leaves the open prompt on the
 * screen.
 */
export async function closedOnAbort<Value>(
  input: NodeJS.ReadStream,
  signal: AbortSignal,
  prompt: () => Promise<Value>,
): Promise<Value | undefined> {
  if (signal.aborted) return undefined;
  const cancel = () => input.emit('keypress', '\u0003', { name: 'c', ctrl: true, sequence: '\u0003' });
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await prompt();
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
