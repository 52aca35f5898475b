import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { shippedRoot } from '../../src/skills/install/package-tree.ts';
import type { HookInput } from '../../src/surfaces/hosts/events.ts';

/** A project with the shipped lite-plan package, for tests. */
export function hostProject(): { project: string; phase: (number: 1 | 2) => string } {
  const project = mkdtempSync(path.join(tmpdir(), 'charrette-hosts-'));
  const target = path.join(project, '.claude', 'skills', 'lite-plan');
  mkdirSync(path.join(project, '.git'));
  cpSync(path.join(shippedRoot(), 'lite-plan'), target, { recursive: true });
  const names = { 1: '01-lite-plan.md', 2: '02-lite-execute.md' } as const;
  return { project, phase: (number) => path.join(target, 'phases', names[number]) };
}

/** Lines of a conversation as Claude Code keeps them. */
export const say = {
  tool: (name: string, input: unknown, id = 'call') => ({
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
  }),
  result: (id: string, content: string) => ({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
  }),
  words: (text: string) => ({
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'text', text }] },
  }),
  todos: (...items: [string, string][]) =>
    say.tool('TodoWrite', {
      todos: items.map(([content, status]) => ({ content, status, activeForm: 'x' })),
    }),
};

export function conversation(project: string, lines: readonly unknown[], name = 'talk.jsonl'): string {
  const file = path.join(project, name);
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

export function hookInput(project: string, more: Partial<HookInput> = {}): HookInput {
  return {
    session: 'session-1',
    cwd: project,
    transcript: undefined,
    source: '',
    goingOn: false,
    ...more,
  };
}
