/** T-002: the five artifacts of a feature, in the order they come into being. */
export const artifacts = {
  prd: { file: 'prd.md', label: 'PRD' },
  spec: { file: 'spec.md', label: 'Spec' },
  design: { file: 'design.md', label: 'Design' },
  plan: { file: 'plan.md', label: 'Plan' },
  tasks: { file: 'tasks.md', label: 'Tasks' },
} as const;

export type ArtifactKey = keyof typeof artifacts;

export const artifactKeys = Object.keys(artifacts) as ArtifactKey[];

/** T-003: files next to the artifacts. */
export const sideFiles = {
  state: '.meta.json',
  history: '.review-history.md',
  log: 'implementation-log.md',
  retrospective: 'retro.md',
} as const;

/** One artifact as a prompt needs it. */
export type ArtifactFile =
  | {
      kind: 'present';
      /** Absolute. */
      path: string;
      bytes: number;
      /** Absent when the file is too large to be read. */
      text?: string;
      /** The bytes are not UTF-8, so `text` has replacement characters. */
      damaged: boolean;
    }
  | { kind: 'missing' }
  | { kind: 'unusable'; reason: ArtifactFault };

type ArtifactFault = 'empty' | 'not a file' | 'a link out of the feature' | 'unreadable';

export type ArtifactFiles = Readonly<Record<ArtifactKey, ArtifactFile>>;

export function isArtifactKey(word: string): word is ArtifactKey {
  return Object.hasOwn(artifacts, word);
}
