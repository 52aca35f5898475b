import { isRecord } from '../safe-json.ts';

/** The same value with every text that names a place below `from` naming the same place below `to`. */
export function relocate(value: unknown, from: string, to: string): unknown {
  if (typeof value === 'string')
    return value === from || value.startsWith(`${from}/`) ? `${to}${value.slice(from.length)}` : value;
  if (Array.isArray(value)) return value.map((item) => relocate(item, from, to));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, relocate(item, from, to)]));
}

/** The inputs of a run for another clone of its repository; those that name no project are left alone. */
export function relocateInputs(inputs: unknown, project: string): unknown {
  if (!isRecord(inputs) || typeof inputs['project'] !== 'string') return inputs;
  return relocate(inputs, inputs['project'], project);
}
