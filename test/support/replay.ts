import type { Driver } from '../../src/agents/drivers/driver.ts';
import {
  emptyReading,
  type FinishContext,
  finishReading,
  readSignal,
} from '../../src/agents/drivers/reading.ts';
import type { LaneResult } from '../../src/agents/port.ts';
import type { ProcessExit } from '../../src/agents/run-process.ts';

/** The result of a recorded stream: what the driver would have said, had it listened. */
export function replay(
  driver: Driver,
  recording: string,
  exit: Partial<ProcessExit>,
  context: Partial<FinishContext> = {},
): LaneResult {
  let reading = emptyReading;
  let stopped = false;
  for (const line of recording.split('\n')) {
    for (const signal of driver.parse(line)) reading = readSignal(reading, signal);
    if (reading.hopeless) {
      stopped = true;
      break;
    }
  }
  const whole: ProcessExit = {
    stderr: '',
    stdout: '',
    outputBytes: recording.length,
    durationMs: 0,
    survivors: 0,
    ...exit,
    ...(stopped ? { ended: 'driver' } : {}),
  };
  return finishReading(reading, whole, { resumed: false, ...context });
}
