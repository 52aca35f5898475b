import { templates } from './templates.ts';

export type Scaffold = { characters: number; sha256: string };

/**
 * Size and SHA-256 of every scaffold that was ever shipped, oldest first; a test keeps the newest equal to the
 * template. The oldest come from the MoAI development kit, whose folder this one continues. Entries are only ever added.
 */
export const shippedScaffolds: Readonly<Record<string, readonly Scaffold[]>> = {
  'README.md': [
    { characters: 1833, sha256: 'd1186add2ec5a41990d607545d0bdadec1305d2f356cfc040e981636a5df3b87' },
    { characters: 1381, sha256: '1815db406799e90932b02abd756716945e1ff92ad048c8d9d0c928c772f2d3c4' },
  ],
  'research.md': [
    { characters: 1119, sha256: '7ceb8f8803181c7fa03698c862a7234cd17c0fcd6b85e4a94823db1667dccc0e' },
    { characters: 665, sha256: 'c2218a345e28c06bfbdf39a86de070358af5e015884ea4ee8ae97632261cc925' },
  ],
  'system.md': [
    { characters: 889, sha256: 'b92f93f4e79142c8e95d2d0a56cd0d29828e84cd74a6bcdda17303dcb4d57ede' },
    { characters: 2037, sha256: '2b97e67bcfce515748242e63edb84af8fd43ff8b49ff184fc423ad10e630d4d1' },
    { characters: 1145, sha256: '519d15148d736be7848e3b6128dc419d74f8f021e2d1ffef9d2ecfec288d5674' },
  ],
  'spec.md': [
    { characters: 1434, sha256: 'e01b63fdc987d8c5d1f5decafcc85bae76ed13ce94c5135dda3903022c1eed28' },
    { characters: 852, sha256: '75fac7d3e6c565199818e3cf6a59cbff12b387138664c232c73560e56911cd3b' },
  ],
};

/**
 * Lines of those older scaffolds whose form alone does not give them away (table rows with labels, a tree's root), as
 * fingerprints.
 */
const olderLines: Readonly<Record<string, readonly string[]>> = {
  research: ['437f3c82ca312b32', 'caa3dff4ff41e7ea'],
  spec: [
    'd721377a373765d7',
    'a0d3dddfa1295a65',
    'e8f060d6e69b959d',
    'ddd1b883a1d52f99',
    '09e2ac08c7c93edd',
    '5a4434788e690cef',
    '5a4d5dc113ff3086',
  ],
  system: [
    '9b05cb9f07616404',
    'cbde019b24be8b58',
    '02c5f40cd58645b2',
    'bc73da47262f96ab',
    'f06086dc6c082a98',
    '491675ed26996fc6',
    '598751f147382ddc',
    '9a0bf2c28a0bd747',
    '33c3844cc81a78b7',
    '6d1dd12ba2e29ae7',
    '00982d2afdbcd726',
    '86e9de363565714c',
    '46977d42a333c11f',
    '43a82c2116b41d0a',
    '89f2645a2fff0832',
    '98ac8c9b3e1ccd30',
    '92deb5bdec4d11fc',
    '2c615fb2030e789c',
    '435075f05676bd8e',
  ],
};

/** All scaffolds for a token. */
export function knownScaffolds(token: string): readonly Scaffold[] {
  return own(shippedScaffolds, `${token}.md`) ?? [];
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

/** Two chained 32-bit FNV-1a sums of a line's UTF-16 units, as 16 hexadecimal digits. It tells lines apart; it guards nothing. */
export function fingerprint(line: string): string {
  let low = 0x811c9dc5;
  let high = 0xcbf29ce4;
  for (let index = 0; index < line.length; index += 1) {
    const unit = line.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit ^ (low >>> 16), 0x01000193);
  }
  return hexadecimal(high) + hexadecimal(low);
}

function hexadecimal(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
