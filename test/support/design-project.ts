import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { clearAway } from '../clear-away.ts';

/** A temporary project with the given files (paths below its root); removed when the test ends. */
export function projectWith(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const root = mkdtempSync(path.join(tmpdir(), 'charrette-context-'));
  onTestFinished(() => clearAway(root));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  }
  return root;
}

/** A project whose design folder holds these documents, by token. */
export function projectWithDocuments(
  documents: Readonly<Record<string, string | Uint8Array>>,
  settings?: string,
): string {
  const files = Object.entries(documents).map(([token, text]) => [`.moai/design/${token}.md`, text] as const);
  const config = settings === undefined ? [] : [['.moai/config/sections/design.yaml', settings] as const];
  return projectWith(Object.fromEntries([...files, ...config]));
}
