import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { packageOf } from '../../../test/support/skill-packages.ts';
import { isRecord, parseJson } from '../../base/safe-json.ts';
import { lintPackage } from '../../skills/lint/engine.ts';
import { eventNames } from './events.ts';
import { thinSkills, thinSkillText } from './plugin-skills.ts';
import { marketplaces, pluginFiles, pluginForms } from './plugins.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const manifest = parseJson(readFileSync(path.join(root, 'package.json'), 'utf8'), 'package.json');
const version = isRecord(manifest) ? String(manifest['version']) : '';

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(path.join(folder, name)).isFile())
    .sort();
}

test.each(pluginForms)(
  'plugins/%s is what the source makes of it; `node scripts/plugins.ts` brings it up to date',
  (form) => {
    const folder = path.join(root, 'plugins', form);
    const made = pluginFiles(form, version);
    expect(filesBelow(folder)).toEqual([...made.keys()].sort());
    for (const [file, text] of made) expect(readFileSync(path.join(folder, file), 'utf8'), file).toBe(text);
  },
);

test('the catalogues at the root point at plugins that exist', () => {
  for (const [file, text] of marketplaces(version)) {
    expect(readFileSync(path.join(root, file), 'utf8'), file).toBe(text);
    const sources = [...text.matchAll(/"(?:source|path)": "(\.\/[^"]+)"/g)].map((match) => match[1] ?? '');
    expect(sources).toHaveLength(1);
    for (const source of sources) expect(existsSync(path.join(root, source, 'skills')), source).toBe(true);
  }
});

test('every form has the manifest that its host looks for, and hooks only under names that the host knows', () => {
  const manifests = {
    claude: '.claude-plugin/plugin.json',
    codex: '.codex-plugin/plugin.json',
    cursor: '.cursor-plugin/plugin.json',
    gemini: 'gemini-extension.json',
    agents: 'plugin.json',
  };
  for (const form of pluginForms) {
    const files = pluginFiles(form, version);
    expect(parseJson(files.get(manifests[form]) ?? '', form)).toMatchObject({ name: 'charrette', version });
    const hooks = files.get('hooks/hooks.json');
    if (form === 'agents') {
      expect(hooks).toBeUndefined();
      continue;
    }
    const known: string[] = Object.values(eventNames[form]);
    const value = parseJson(hooks ?? '', 'hooks') as { hooks: Record<string, unknown> };
    expect(Object.keys(value.hooks).sort()).toEqual([...known].sort());
  }
});

test('the thin skills are sound: they lint clean, and the commands they name exist', async () => {
  const { commands } = await import('../../main/commands.ts');
  for (const skill of thinSkills) {
    const text = thinSkillText(skill, skill.name);
    const { findings } = lintPackage(packageOf({ 'SKILL.md': text }, skill.name));
    expect(findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
    for (const [, command = ''] of text.matchAll(/`charrette ([a-z-]+)/g))
      expect(Object.keys(commands)).toContain(command);
  }
});
