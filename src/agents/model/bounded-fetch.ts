import { OutputBudget } from '../process/output.ts';

/** Fetches with one bound for the answers of all requests together, refusals included: beyond it nothing more is read. */
export function boundedFetch(bytes: number, onExceeded: () => void): typeof fetch {
  const budget = new OutputBudget(bytes);
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (budget.take(chunk.byteLength) === chunk.byteLength) controller.enqueue(chunk);
        else {
          onExceeded();
          controller.error(new Error('The server said more than is read of it.'));
        }
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
  };
}
