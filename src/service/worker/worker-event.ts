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
      return `claimed ${event.run}: ${event.title}`;
    case 'run-ask':
      return `${event.run} waits; answer with \`charrette answer ${event.run}\``;
    case 'run-continue':
      return `${event.run} continues`;
    case 'run-end':
      return `${event.run} ended: ${event.status}`;
    case 'run-refuse':
      return `${event.run} could not start: ${event.message}`;
    case 'run-error':
      return `${event.run}: ${event.message}`;
    case 'run-requeued':
      return `requeued ${event.run}`;
    case 'worker-gone':
      return `worker ${event.worker} timed out; requeued ${event.runs.length} of its runs`;
    case 'worker-lost':
      return `timed out and lost ${event.runs.join(', ') || 'no run'}; starting again`;
    case 'database-unreachable':
      return `cannot reach the database; retrying: ${event.message}`;
    case 'store-back':
      return 'reached the database again';
    case 'worker-end':
      return `stopped: ${event.ended} runs ended here, ${event.back} requeued`;
  }
}
