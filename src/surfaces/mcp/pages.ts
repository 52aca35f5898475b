import path from 'node:path';
import { z } from 'zod';
import { containedPath } from '../../base/files/bounded.ts';
import type { Project } from '../../service/project.ts';

/** Input of every tool that hands out text or lists in parts. */
export const pageInput = {
  offset: z.int().min(0).default(0).describe('Where to continue: `next` of the page before.'),
  limit: z.int().min(200).max(40_000).default(8_000).describe('At most this many characters.'),
};

export const pageOutput = {
  text: z.string(),
  offset: z.int(),
  total: z.int().describe('Characters of the whole text.'),
  next: z.int().optional().describe('Offset of the next page; absent on the last one.'),
};

export type TextPage = { text: string; offset: number; total: number; next?: number };

/** One part of a text. A pair of surrogates is never split, so pages put together are the text again. */
export function pageOf(whole: string, { offset, limit }: { offset: number; limit: number }): TextPage {
  const start = insidePair(whole, offset) ? offset + 1 : Math.min(offset, whole.length);
  const wanted = start + limit;
  const end = insidePair(whole, wanted) ? wanted + 1 : Math.min(wanted, whole.length);
  const page = { text: whole.slice(start, end), offset: start, total: whole.length };
  return end < whole.length ? { ...page, next: end } : page;
}

function insidePair(text: string, at: number): boolean {
  return at > 0 && at < text.length && isBetween(text, at, 0xdc00) && isBetween(text, at - 1, 0xd800);
}

function isBetween(text: string, at: number, first: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= first && unit < first + 0x400;
}

/** Input and output of tools that hand out a list in parts. */
export const listInput = {
  offset: z.int().nonnegative().default(0).describe('Where to continue: `next` of the page before.'),
  limit: z.int().min(1).max(200).default(50),
};
export const listOutput = {
  total: z.int(),
  next: z.int().optional().describe('Offset of the next page; absent on the last one.'),
};

type Page = { offset: number; limit: number };

export function listPage<Item>(items: readonly Item[], page: Page) {
  const { offset, limit } = page;
  return { items: items.slice(offset, offset + limit), total: items.length, ...nextOf(page, items.length) };
}

/** Where the page after this one begins, if there is one. */
export function nextOf({ offset, limit }: Page, total: number): { next?: number } {
  return offset + limit < total ? { next: offset + limit } : {};
}

export const pathInput = z.string().min(1).max(1_000);

/** A path that a client named, relative to the working directory; a path outside the project is rejected. */
export async function projectPath(
  { cwd, project }: Pick<Project, 'cwd' | 'project'>,
  untrusted: string,
): Promise<string> {
  const relative = path.relative(project, path.resolve(cwd, untrusted)) || '.';
  return path.relative(cwd, await containedPath(project, relative)) || '.';
}

/** Artifacts of runs as resources. */
export const artifactTemplate = 'charrette://runs/{run}/{name}';

export function uriOf(run: string, name: string): string {
  return `charrette://runs/${encodeURIComponent(run)}/${encodeURIComponent(name)}`;
}
