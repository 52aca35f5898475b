import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { thisWorld, type World } from '../../agents/settings.ts';
import { inspectScript, maxScriptBytes, requireRunnable } from './inspector.ts';
import { findWorkflow, listWorkflows, readAgentTypes, readWorkflowText } from './places.ts';
import { loadWorkflow } from './prepare.ts';
import { allowDigest, isAllowed } from './trust.ts';

const meta = "export const meta = { name: 'x', description: 'Does x' };\n";
let folder: string;
let project: string;
let world: World;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'charrette-places-'));
  project = path.join(folder, 'project');
  world = { ...thisWorld(), environment: {}, home: path.join(folder, 'home') };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, text = meta): string {
  const whole = path.join(folder, file);
  mkdirSync(path.dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

const found = (name: string, cwd = project) =>
  path.relative(folder, findWorkflow(name, cwd, project, world).file);

test('W-030 W-151: the nearest folder of the project wins, then the project, then your own folders', () => {
  write('project/.claude/workflows/flow.js');
  write('project/.agents/workflows/flow.mjs');
  write('project/part/.claude/workflows/flow.js');
  write('home/.claude/workflows/flow.js');
  write('home/.claude/workflows/own.workflow.js');
  write('home/.config/charrette/workflows/typed.ts');
  expect(found('flow')).toBe('project/.claude/workflows/flow.js');
  expect(found('flow', path.join(project, 'part'))).toBe('project/part/.claude/workflows/flow.js');
  expect(found('own')).toBe('home/.claude/workflows/own.workflow.js');
  expect(found('typed')).toBe('home/.config/charrette/workflows/typed.ts');
  world = { ...world, environment: { CLAUDE_CONFIG_DIR: path.join(folder, 'elsewhere') } };
  write('elsewhere/workflows/moved.js');
  expect(found('moved')).toBe('elsewhere/workflows/moved.js');
  expect(() => found('own')).toThrow('there are flow, typed, moved');
});

test('W-151 W-170: two files of one name in one folder are an error that lists both', () => {
  const files = [write('project/.claude/workflows/flow.js'), write('project/.claude/workflows/flow.mjs')];
  expect(() => found('flow')).toThrow(
    expect.objectContaining({
      code: 'workflow-ambiguous',
      message: `Two files are the workflow "flow": ${files.join(' and ')}.`,
    }),
  );
});

test('W-151: files of installed plug-ins are plugin:name, and their code is not yours', () => {
  write('cache/shop/1.0/workflows/audit.js');
  write('cache/other/workflows/theirs.js');
  const install = (name: string, more: object) => ({
    scope: 'user',
    installPath: path.join(folder, 'cache', name),
    ...more,
  });
  const plugins = {
    'shop@market': [install('shop/1.0', {})],
    'other@market': [install('other', { scope: 'local', projectPath: '/another/project' })],
    'gone@market': [install('gone', {})],
    'old@market': install('other', { projectPath: project }),
    'broken@market': ['text', { installPath: 7 }],
  };
  write('home/.claude/plugins/installed_plugins.json', JSON.stringify({ version: 2, plugins }));
  expect(listWorkflows(project, project, world).map(({ name, owner }) => [name, owner])).toEqual([
    ['shop:audit', 'project'],
    ['old:theirs', 'project'],
  ]);
  expect(found('shop:audit')).toBe('cache/shop/1.0/workflows/audit.js');
  write('project/.claude/workflows/starts.js', `${meta}return workflow('shop:audit');\n`);
  const { children } = loadWorkflow({ target: 'starts', cwd: project, project, world });
  expect(children['shop:audit']?.file).toBe(path.join(folder, 'cache/shop/1.0/workflows/audit.js'));
  write('home/.claude/plugins/installed_plugins.json', '{');
  expect(listWorkflows(project, project, world).map(({ name }) => name)).toEqual(['starts']);
});

test('W-030: links are not followed, neither a file nor the folder', () => {
  const target = write('outside/linked.js');
  mkdirSync(path.join(project, '.claude', 'workflows'), { recursive: true });
  symlinkSync(target, path.join(project, '.claude', 'workflows', 'linked.js'));
  mkdirSync(path.join(project, '.agents'));
  symlinkSync(path.dirname(target), path.join(project, '.agents', 'workflows'));
  expect(listWorkflows(project, project, world)).toEqual([]);
  expect(() => readWorkflowText(path.join(project, '.claude', 'workflows', 'linked.js'))).toThrow(
    'not a regular file',
  );
});

test('W-142: a file of yours that starts a file of the project, or can take a role from it, is not all yours', () => {
  const ownerOf = () => loadWorkflow({ target: 'ship', cwd: project, project, world }).owner;
  write('home/.claude/workflows/ship.js', `${meta}return workflow('lint');\n`);
  write('home/.claude/workflows/lint.js');
  write('home/.claude/agents/critic.md', 'Be kind.\n');
  expect(ownerOf()).toBe('user');
  const role = write('project/.claude/agents/critic.md', 'Be mine.\n');
  expect(ownerOf()).toBe('project');
  rmSync(role);
  expect(ownerOf()).toBe('user');
  write('project/.claude/workflows/lint.js');
  expect(ownerOf()).toBe('project');
});

test('W-142: folders of yours are named absolutely, so that none is a folder of the project', async () => {
  const relative = { CLAUDE_CONFIG_DIR: path.relative(process.cwd(), project), XDG_CONFIG_HOME: '' };
  world = { ...world, environment: relative };
  write('project/workflows/flow.js');
  write('home/.config/charrette/workflows/typed.ts');
  const loaded = loadWorkflow({ target: 'workflows/flow.js', cwd: project, project, world });
  expect(loaded.owner).toBe('project');
  expect(found('typed')).toBe('home/.config/charrette/workflows/typed.ts');
  await allowDigest(world, project, loaded.digest);
  expect(isAllowed({ ...world, environment: {} }, project, loaded.digest)).toBe(true);
});

test('W-125: tools without any that writes make a reader, and the type of the project wins', () => {
  write(
    'project/.claude/agents/critic.md',
    '---\nname: critic\ntools: Read, Grep\nmodel: opus\n---\nBe strict.\n',
  );
  write('home/.claude/agents/critic.md', '---\nname: critic\n---\nMine.\n');
  write('home/.claude/agents/maker.md', '---\ntools: [Read, "Bash(npm *)"]\n---\nMake.\n');
  expect(readAgentTypes(project, world)).toMatchObject({
    critic: { role: 'Be strict.', access: 'read', model: 'opus' },
    maker: { role: 'Make.', access: 'write' },
  });
});

test('W-170: what is wrong is told with file, line, column, and the line with a mark below', () => {
  const told = (file: string, text: string) => {
    try {
      requireRunnable(file, text);
    } catch (error) {
      return error as { code: string; message: string };
    }
    throw new Error('It may run.');
  };
  expect(told('x.js', `${meta}const n: number = 1;\n`)).toMatchObject({ code: 'workflow-syntax' });
  expect(told('x.js', "return 'x';\n")).toMatchObject({ code: 'workflow-meta' });
  const forbidden = told('x.js', `${meta}return 1 + process.pid;\n`);
  expect(forbidden.code).toBe('workflow-forbidden');
  const [place = '', line, mark] = forbidden.message.split('\n');
  expect(place).toMatch(/^x\.js:2:12: .*`process`/);
  expect([line, mark]).toEqual(['  return 1 + process.pid;', `  ${' '.repeat(11)}^`]);
});

test('W-160: types are removed in place; what is more than a type is refused with its line', () => {
  const typed = `${meta}type Row = { n: number };\nconst row: Row = { n: 1 };\nreturn row.n as number;\n`;
  const { body, problems } = inspectScript('x.ts', typed);
  expect(problems).toEqual([]);
  expect(body).toHaveLength(typed.length);
  expect(body).not.toContain('Row');
  for (const text of ['enum Kind { A }', 'namespace Inner { export const a = 1 }'])
    expect(inspectScript('x.ts', `${meta}\n  ${text}\nreturn 1;\n`).problems).toMatchObject([
      { kind: 'syntax', line: 3, column: 3, source: `  ${text}` },
    ]);
});

test('W-172: a file of more than 1 MiB is refused before anything reads it', () => {
  const text = meta + ' '.repeat(maxScriptBytes);
  const limit = expect.objectContaining({ code: 'workflow-limit' });
  expect(() => inspectScript('x.js', text)).toThrow(limit);
  expect(() => readWorkflowText(write('big.js', text))).toThrow(limit);
});
