import { isRecord } from '../base/safe-json.ts';
import { literalPattern } from '../base/text/strings.ts';

/** The same value with every place below `from` that its texts name, alone or among words, being the same place below `to`. */
export function relocate(value: unknown, from: string, to: string): unknown {
  return from === to ? value : moved(value, placesBelow(from), to);
}

function moved(value: unknown, places: RegExp, to: string): unknown {
  if (typeof value === 'string') return value.replace(places, () => to);
  if (Array.isArray(value)) return value.map((item) => moved(item, places, to));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, moved(item, places, to)]));
}

/** A path begins where a word does and ends there or at a slash: `/a/shop` is in neither `/a/shopping` nor `/b/a/shop`. */
function placesBelow(from: string): RegExp {
  return new RegExp(`(?<![^\\s"'\`(<[=:,])${literalPattern(from)}(?=$|[/\\s"'\`)>\\]:,;])`, 'g');
}

/** The inputs of a run for another clone of its repository; inputs without a project are not changed. */
export function relocateInputs(inputs: unknown, project: string): unknown {
  if (!isRecord(inputs) || typeof inputs['project'] !== 'string') return inputs;
  return relocate(inputs, inputs['project'], project);
}
