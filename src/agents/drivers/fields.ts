import { isRecord, readJson } from '../../base/safe-json.ts';
import { type Usage, unknownUsage } from '../port.ts';

/** Careful looks into the agents' output: every field may be missing or of another type. */

export type Fields = Record<string, unknown>;

/** The JSON object on a line; banners, warnings and half lines are not one. */
export function objectOn(line: string): Fields | undefined {
  if (!line.trimStart().startsWith('{')) return undefined;
  const reading = readJson(line);
  return reading.ok && isRecord(reading.value) ? reading.value : undefined;
}

export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}

export function optionalNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** What a tool was asked, short enough for a progress line. */
export function detailOf(input: unknown): string | undefined {
  const fields = fieldsOf(input);
  const telling = ['file_path', 'filePath', 'target_file', 'path', 'command', 'pattern', 'query'];
  const found = telling.map((name) => optionalText(fields[name])).find((text) => text !== undefined);
  return found?.slice(0, 200);
}

/** Counts as measured usage; nothing but zeros was not measured, and money counts only when there is some. */
export function measured(counts: {
  input: number;
  cached: number;
  output: number;
  reasoning?: number;
  usd?: number;
}): Usage {
  if (counts.input === 0 && counts.output === 0) return unknownUsage;
  return {
    basis: 'measured',
    inputTokens: counts.input,
    cachedInputTokens: counts.cached,
    outputTokens: counts.output,
    ...(counts.reasoning ? { reasoningTokens: counts.reasoning } : {}),
    ...(counts.usd ? { usd: counts.usd } : {}),
  };
}
