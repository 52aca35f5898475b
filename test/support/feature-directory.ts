import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type FeatureContent = Partial<Record<'prd' | 'spec' | 'design' | 'plan' | 'tasks' | 'meta', string>>;

const usual: FeatureContent = {
  prd: '# PRD\n\n## Goals\n- fast\n',
  spec: '# Spec\n\n## Acceptance Criteria\n- it works\n',
  design: '# Design\n\n## Components\n### C1: Cache\nkeeps things\n',
  plan: '# Plan\n\n## Implementation Order\n### 1.1 Cache\nwrite it\n',
  tasks: '# Tasks\n\n### Task 1.1: Cache\n- **Why:** Plan 1.1, Design C1\n- **Done when:** it caches\n',
  meta: '{"id": "007", "slug": "search", "status": "active"}',
};

/** A repository with one feature directory; `undefined` content leaves the file out. */
export function featureDirectory(content: FeatureContent = {}): { root: string; directory: string } {
  const root = mkdtempSync(path.join(tmpdir(), 'feature-'));
  mkdirSync(path.join(root, '.git'));
  const directory = path.join(root, 'docs', 'features', '007-search');
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of Object.entries({ ...usual, ...content })) {
    if (text === undefined) continue;
    writeFileSync(path.join(directory, name === 'meta' ? '.meta.json' : `${name}.md`), text);
  }
  return { root, directory };
}
