import type { Document } from '../document/document.ts';

export type Step = { id: string; title: string; level: number; line: number; endLine: number };

const stepTitle = /^(?:[^\p{L}\p{N}]*)step\s+(\d+(?:\.\d+)*[a-z]?)(?=$|[\s:.)：—–-])\s*[:.)：—–-]*\s*(.*)$/iu;

/** S-084: step headings at the shallowest level (H2–H4) where this file has any; deeper ones are sub-steps. */
export function readSteps(document: Document): Step[] {
  const steps: Step[] = [];
  for (const { level, title, line, endLine } of document.headings) {
    if (level < 2 || level > 4) continue;
    const match = stepTitle.exec(title);
    if (match?.[1] !== undefined) steps.push({ id: match[1], title: match[2] ?? '', level, line, endLine });
  }
  const shallowest = Math.min(...steps.map(({ level }) => level));
  return steps.filter(({ level }) => level === shallowest);
}
