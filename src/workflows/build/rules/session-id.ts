import { createHash } from 'node:crypto';

const priorTopic = /^#{1,6}\s*Prior (?:Analysis|Brainstorm)\s*\(([^)\n]+)\)/im;

/** P-030…P-033: `{slug}-{YYYY-MM-DD}`; a text without Latin letters gets a short hash, never a leading hyphen. */
export function sessionId(task: string, now: Date, taken: ReadonlySet<string> = new Set()): string {
  const topic = priorTopic.exec(task)?.[1] ?? task;
  const slug = topic
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  const name = slug || createHash('sha256').update(topic).digest('hex').slice(0, 8);
  const base = `${name}-${now.toISOString().slice(0, 10)}`;
  if (!taken.has(base)) return base;
  for (let number = 2; ; number += 1) if (!taken.has(`${base}-${number}`)) return `${base}-${number}`;
}
