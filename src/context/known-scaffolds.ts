import { templates } from './templates.ts';

/**
 * SHA-256 of every scaffold file that was ever shipped, oldest first, newest last; a test keeps the newest equal to the
 * template. The oldest come from the MoAI development kit, whose folder this one continues. Entries are only ever added.
 */
export const shippedHashes: Readonly<Record<string, readonly string[]>> = {
  'README.md': [
    'd1186add2ec5a41990d607545d0bdadec1305d2f356cfc040e981636a5df3b87',
    '1815db406799e90932b02abd756716945e1ff92ad048c8d9d0c928c772f2d3c4',
  ],
  'research.md': [
    '7ceb8f8803181c7fa03698c862a7234cd17c0fcd6b85e4a94823db1667dccc0e',
    'c2218a345e28c06bfbdf39a86de070358af5e015884ea4ee8ae97632261cc925',
  ],
  'system.md': [
    'b92f93f4e79142c8e95d2d0a56cd0d29828e84cd74a6bcdda17303dcb4d57ede',
    '2b97e67bcfce515748242e63edb84af8fd43ff8b49ff184fc423ad10e630d4d1',
    '519d15148d736be7848e3b6128dc419d74f8f021e2d1ffef9d2ecfec288d5674',
  ],
  'spec.md': [
    'e01b63fdc987d8c5d1f5decafcc85bae76ed13ce94c5135dda3903022c1eed28',
    '75fac7d3e6c565199818e3cf6a59cbff12b387138664c232c73560e56911cd3b',
  ],
};

/**
 * Lines of those older scaffolds whose form alone does not give them away (table rows with labels, a tree's root), as the
 * first 16 digits of their SHA-256.
 */
const olderLines: Readonly<Record<string, readonly string[]>> = {
  research: ['8573ebe69ae7e341', '2e1d6cfefe2df400'],
  spec: [
    '81209c86b9ce97a6',
    '44cb005ee2e65d9c',
    '4bf06d9eae12427b',
    '0bd5a2b6542f1d77',
    'd8a0915f2d40117d',
    'c6d8b555497a5c05',
    '29ad0aee0eef5113',
  ],
  system: [
    'b7e1b325cc2e2c07',
    'b08720f49338a21a',
    '9857fc1530d01e52',
    '2c105e0443c97727',
    '858530b5380da1e7',
    'e9dd0a419f5d3f7f',
    '0dea0707ba4ab19d',
    'c0ddbf9b70320d48',
    '84ca033ea93b6166',
    '4306e2ecad05d224',
    '386097ab3d2d2e4d',
    'b7e768d24551a8cf',
    '04e9c53aacf80264',
    'a38e2fce2ee6f413',
    'ee3fa5bfdc1add23',
    'd53c9b27f8f78026',
    '7381864f2ce4f9eb',
    '6bc7ef7d4184b356',
    '20ac786019e03c7c',
  ],
};

/** Hashes of all scaffolds for a token. */
export function knownFileHashes(token: string): readonly string[] {
  return own(shippedHashes, `${token}.md`) ?? [];
}

export type KnownLines = { written: ReadonlySet<string>; hashed: ReadonlySet<string> };

/** The lines of the scaffold for a token: today's as written, older ones by hash. */
export function knownLines(token: string): KnownLines {
  const today = own(templates, `${token}.md`) ?? '';
  return { written: new Set(today.split('\n')), hashed: new Set(own(olderLines, token) ?? []) };
}

function own<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
