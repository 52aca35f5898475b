import type { LaneKind, TaskLimits } from '../port.ts';

/** Watches one call from outside: the wall clock, silence, how much is said, and the caller's wish to stop. */
export type Deadline = {
  signal: AbortSignal;
  /** More was said than is read. */
  exceeded: () => void;
  /** Something was heard; silence starts anew. */
  heard: () => void;
  /** Why the call was ended, when it was us. */
  ended: () => { kind: LaneKind; message: string } | undefined;
  release: () => void;
};

export function startDeadline({ wallMs, idleMs }: TaskLimits, caller: AbortSignal): Deadline {
  const controller = new AbortController();
  let ended: { kind: LaneKind; message: string } | undefined;
  const end = (kind: LaneKind, message: string) => {
    ended ??= { kind, message };
    controller.abort();
  };
  const cancel = () => end('cancelled', 'The call was cancelled.');
  const silence = () => end('timeout', `Nothing was heard for ${idleMs} ms.`);
  const wall = setTimeout(() => end('timeout', `The call took longer than ${wallMs} ms.`), wallMs);
  const idle = setTimeout(silence, idleMs);
  if (caller.aborted) cancel();
  caller.addEventListener('abort', cancel, { once: true });
  return {
    signal: controller.signal,
    exceeded: () => end('limit', 'The model wrote more than the output limit.'),
    heard: () => idle.refresh(),
    ended: () => ended,
    release: () => {
      clearTimeout(wall);
      clearTimeout(idle);
      caller.removeEventListener('abort', cancel);
    },
  };
}
