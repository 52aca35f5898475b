import { outline } from '../../../base/markdown/sections.ts';
import type { ArtifactKey } from '../../../prompts/artifacts.ts';

/** §2C: how good an artifact is: 0 missing, 1 there, 2 long enough, 3 has a section, 4 has the section of its kind. */
export type ValidityLevel = 0 | 1 | 2 | 3 | 4;

export type Validity = { level: ValidityLevel; reason?: string };

/** lean/C-26: a hundred bytes are enough. */
const fewestBytes = 100;

/** One of these must be a heading, or begin one. */
const sections: Readonly<Record<ArtifactKey, readonly { level: number; title: string }[]>> = {
  prd: [],
  spec: [
    { level: 2, title: 'Success Criteria' },
    { level: 2, title: 'Acceptance Criteria' },
  ],
  design: [
    { level: 2, title: 'Components' },
    { level: 2, title: 'Architecture' },
  ],
  plan: [
    { level: 2, title: 'Implementation Order' },
    { level: 2, title: 'Phase' },
  ],
  tasks: [
    { level: 2, title: 'Phase' },
    { level: 3, title: 'Task' },
  ],
};

/** Judges an artifact by its text; `undefined` is a file that is not there. Headings in code do not count. */
export function artifactValidity(key: ArtifactKey, text: string | undefined): Validity {
  if (text === undefined) return { level: 0, reason: `${key}.md is missing` };
  const bytes = Buffer.byteLength(text);
  if (bytes < fewestBytes) {
    return { level: 1, reason: `${key}.md has ${bytes} bytes; at least ${fewestBytes} are expected` };
  }
  const headings = outline(text);
  if (!headings.some(({ level }) => level === 2))
    return { level: 2, reason: `${key}.md has no \`## \` section` };
  const wanted = sections[key];
  const found =
    wanted.length === 0 ||
    wanted.some(({ level, title }) =>
      headings.some((heading) => heading.level === level && startsWithWords(heading.title, title)),
    );
  if (found) return { level: 4 };
  const names = wanted.map(({ level, title }) => `\`${'#'.repeat(level)} ${title}\``).join(' or ');
  return { level: 3, reason: `${key}.md has no ${names}` };
}

function startsWithWords(heading: string, wanted: string): boolean {
  const lowered = heading.toLowerCase();
  if (!lowered.startsWith(wanted.toLowerCase())) return false;
  return !/[a-z]/i.test(lowered.charAt(wanted.length));
}
