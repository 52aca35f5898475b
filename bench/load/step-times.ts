import type { WorkflowContext } from '../../src/engine/workflow.ts';

/** Notes of every step of a class of contexts how long it took beyond its own work, in milliseconds. */
export function timeSteps({ prototype }: { prototype: WorkflowContext }): number[] {
  const overheads: number[] = [];
  const { step } = prototype;
  prototype.step = function timed<Result>(
    this: WorkflowContext,
    name: string,
    body: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const begun = performance.now();
    let own: number | undefined;
    const work = async (signal: AbortSignal) => {
      const started = performance.now();
      try {
        return await body(signal);
      } finally {
        own = performance.now() - started;
      }
    };
    const result = step.call(this, name, work) as Promise<Result>;
    result.then(
      () => {
        // A step that is replayed does no work.
        if (own !== undefined) overheads.push(performance.now() - begun - own);
      },
      () => {},
    );
    return result;
  };
  return overheads;
}
