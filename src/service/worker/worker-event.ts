/** What a worker does, as a closed list; each is a line on a terminal. */
export type WorkerEvent =
  | {
      type: 'worker-start';
      worker: string;
      places: { repository: string; clone: string }[];
      labels: string[];
    }
  | { type: 'run-claimed'; run: string; title: string; project: string; epoch: number }
  | { type: 'run-ask'; run: string }
  | { type: 'run-continue'; run: string }
  | { type: 'run-end'; run: string; status: string }
  | { type: 'run-refuse'; run: string; message: string }
  | { type: 'run-error'; run: string; message: string }
  | { type: 'run-requeued'; run: string }
  | { type: 'worker-gone'; worker: string; runs: string[] }
  | { type: 'worker-lost'; worker: string; runs: string[] }
  | { type: 'database-unreachable'; message: string }
  | { type: 'store-back' }
  | { type: 'worker-end'; worker: string; ended: number; back: number };

/** The event in one sentence. */
export function describeWorkerEvent(event: WorkerEvent): string {
  switch (event.type) {
    case 'worker-start': {
      const labels = event.labels.length === 0 ? '' : `, labels ${event.labels.join(', ')}`;
      return `worker ${event.worker} serves ${event.places.map(({ clone }) => clone).join(', ')}${labels}`;
    }
    case 'run-claimed':
      return `took ${event.run}: ${event.title}`;
    case 'run-ask':
      return `${event.run} asks; answer with \`charrette answer ${event.run}\``;
    case 'run-continue':
      return `${event.run} goes on`;
    case 'run-end':
      return `${event.run} ended: ${event.status}`;
    case 'run-refuse':
      return `${event.run} could not begin: ${event.message}`;
    case 'run-error':
      return `${event.run}: ${event.message}`;
    case 'run-requeued':
      return `gave ${event.run} back`;
    case 'worker-gone':
      return `worker ${event.worker} fell silent; ${event.runs.length} of its runs wait for another`;
    case 'worker-lost':
      return `was silent for too long and lost ${event.runs.join(', ') || 'no run'}; begins anew`;
    case 'database-unreachable':
      return `the store does not answer: ${event.message}`;
    case 'store-back':
      return 'the store answers again';
    case 'worker-end':
      return `stopped: ${event.ended} runs ended here, ${event.back} given back`;
  }
}
