import { isRecord } from '../../base/safe-json.ts';
import { readFrontMatter, writeFrontMatter } from '../../base/text/frontmatter.ts';
import { type Host, hostOnlyFields } from './hosts.ts';

/** SKILL.md for one host: fields it does not know move under `metadata`; a file without such fields stays byte for byte. */
export function overlayFor(host: Host, text: string): string {
  const { present, data, body, problems } = readFrontMatter(text);
  if (!present || problems.length > 0) return text;
  const foreign = Object.keys(data).filter(
    (key) => Object.hasOwn(hostOnlyFields, key) && hostOnlyFields[key]?.includes(host) === false,
  );
  if (foreign.length === 0) return text;
  const metadata: Record<string, unknown> = isRecord(data['metadata']) ? { ...data['metadata'] } : {};
  for (const key of foreign)
    metadata[key] = typeof data[key] === 'string' ? data[key] : JSON.stringify(data[key]);
  const kept = Object.fromEntries(
    Object.entries(data).filter(([key]) => !foreign.includes(key) && key !== 'metadata'),
  );
  return writeFrontMatter({ ...kept, metadata }, body);
}
