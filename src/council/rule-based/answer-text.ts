import { isRecord } from '../../base/safe-json.ts';
import { ruleBasedMark } from './wording.ts';

/** An answer as Markdown, for tasks that ask for text. */
export function answerText(value: unknown): string {
  return `> ${ruleBasedMark}\n\n${block(value, 0)}\n`;
}

function block(value: unknown, depth: number): string {
  if (Array.isArray(value)) return value.map((item) => `- ${entry(item, depth)}`).join('\n');
  if (!isRecord(value)) return scalar(value);
  return Object.entries(value)
    .filter(([, item]) => item !== null && item !== undefined && !(Array.isArray(item) && item.length === 0))
    .map(([name, item]) =>
      depth === 0
        ? `## ${heading(name)}\n\n${block(item, depth + 1)}`
        : `**${heading(name)}**: ${block(item, depth + 1)}`,
    )
    .join(depth === 0 ? '\n\n' : '\n');
}

function entry(value: unknown, depth: number): string {
  if (!isRecord(value)) return block(value, depth + 1);
  return Object.values(value)
    .filter((item) => item !== null && item !== undefined && !(Array.isArray(item) && item.length === 0))
    .map((item) => (Array.isArray(item) ? item.map(scalar).join(', ') : scalar(item)))
    .join(' — ');
}

const scalar = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const heading = (name: string): string =>
  name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/^./, (first) => first.toUpperCase());
