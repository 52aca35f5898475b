import { expect, test } from 'vitest';
import { agentNames, authorOf } from './roster.ts';

test('reads each name in --agents once', () => {
  expect(agentNames(undefined)).toBeUndefined();
  expect(agentNames('cursor, codex,,cursor')).toEqual(['cursor', 'codex']);
  for (const empty of ['', ',', ' , '])
    expect(() => agentNames(empty)).toThrow('--agents requires at least one name');
});

test('an author named by a flag must exist; a missing one in the configuration is a warning', () => {
  const roster = [
    { id: 'claude', protocol: 'claude' as const },
    { id: 'codex', protocol: 'codex' as const },
  ];
  expect(authorOf(roster, 'codex', 'claude')).toEqual({ author: 'codex', warnings: [] });
  expect(authorOf(roster, undefined, 'claude')).toEqual({ author: 'claude', warnings: [] });
  expect(authorOf(roster, undefined, undefined)).toEqual({ warnings: [] });
  expect(() => authorOf(roster, 'codx', undefined)).toThrow(
    '--author names "codx"; in this run are claude, codex.',
  );
  const away = authorOf(roster, undefined, 'gemini');
  expect(away.author).toBeUndefined();
  expect(away.warnings[0]).toContain('"gemini", is not in this run');
});
