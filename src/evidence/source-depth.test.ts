import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseDeclarations, readModuleLinks } from './parse-script.ts';
import { isTooDeep } from './source-depth.ts';

const links = ['(', '[', '{', 'a=>', 'type A=X<', '`${', 'if(a)', 'a?', 'a(', '<a>', 'a:', 'new ', 'await '];

test.each([...links, 'if(a);else ', 'if(a){}else ', 'for(;;)', 'x='])(
  '%j many times over is not parsed',
  (link) => {
    const text = `import b from './b.ts';\n${link.repeat(20_000)}`;
    expect(isTooDeep(text)).toBe(true);
    expect(readModuleLinks('a.tsx', text).imports).toMatchObject([{ specifier: './b.ts' }]);
    expect(parseDeclarations('a.tsx', text)).toEqual([]);
  },
);

test('ordinary code is parsed, however long', () => {
  const file = path.join(import.meta.dirname, 'parse-script.ts');
  const text = readFileSync(file, 'utf8').repeat(60).slice(0, 380_000);
  expect(isTooDeep(text)).toBe(false);
  const table = `export const table = {\n${"  key: { name: 'a (b', value: c ? d : e },\n".repeat(5000)}};\n`;
  expect(isTooDeep(table)).toBe(false);
});
