import path from 'node:path';
import { z } from 'zod';
import { CharretteError } from '../../base/errors.ts';
import { writeJsonAtomic } from '../../base/files/atomic.ts';
import { readTextFile } from '../../base/files/bounded.ts';
import { readJson } from '../../base/safe-json.ts';
import { problemLine, readAs } from '../../base/schema/primitives.ts';

export const decisions = ['accepted', 'wont-fix', 'false-positive'] as const;

const knownSchema = z.object({
  fingerprint: z.string().regex(/^[0-9a-f]{16}-[0-9a-f]{8}$/),
  decision: z.enum(decisions),
  reason: z.string().min(1).max(2000),
  title: z.string().max(400),
  who: z.string().max(200),
  /** A day; from then on the finding is new again. */
  until: z.iso.date().optional(),
});

/** what was decided about a finding. */
export type Known = z.infer<typeof knownSchema>;

const baselineSchema = z.object({ schemaVersion: z.literal(1), findings: z.array(knownSchema).max(10_000) });

/** The file is made to be committed. */
export function baselineFile(project: string): string {
  return path.join(project, '.charrette', 'review-baseline.json');
}

/** Everything that was decided before; a damaged file is an error, not an empty one. */
export async function readBaseline(project: string): Promise<Known[]> {
  const file = baselineFile(project);
  const text = await readTextFile(file);
  if (text === undefined) return [];
  const reading = readJson(text);
  const parsed = readAs(baselineSchema, reading.ok ? reading.value : undefined);
  if (parsed.ok) return parsed.value.findings;
  throw new CharretteError({
    code: 'json-invalid',
    message: `${file} cannot be read: ${reading.ok ? parsed.problems.slice(0, 1).map((each) => problemLine(each, 'it')) : reading.message}.`,
    fix: 'Repair the file, or take it from an earlier commit.',
  });
}

/** Adds a decision, or replaces an earlier one about the same finding. */
export async function remember(project: string, known: Known): Promise<void> {
  const others = (await readBaseline(project)).filter(({ fingerprint }) => fingerprint !== known.fingerprint);
  const findings = [...others, known].sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1));
  const parsed = readAs(baselineSchema, { schemaVersion: 1, findings });
  if (!parsed.ok)
    throw new CharretteError({
      code: 'usage',
      message: `The decision cannot be kept: ${parsed.problems.slice(0, 1).map((each) => problemLine(each, 'it'))}.`,
    });
  await writeJsonAtomic(baselineFile(project), parsed.value);
}

/** The decision about a finding: the same category at the same quoted code, whatever it is called now. */
export function decisionOn(
  { fingerprint }: Pick<Known, 'fingerprint'>,
  known: readonly Known[],
  today: string,
): Known['decision'] | undefined {
  const place = (text: string) => text.split('-')[0];
  return known.find(
    (each) =>
      place(each.fingerprint) === place(fingerprint) && (each.until === undefined || each.until > today),
  )?.decision;
}
