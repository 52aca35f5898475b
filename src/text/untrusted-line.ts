import { stripVTControlCharacters } from 'node:util';

/** Controls, and the marks that turn the direction of writing: both change what a reader sees without being seen. */
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Text of an agent or a file, fit for a terminal: escape sequences and other unseen characters are gone, lines stay. */
export function untrustedText(text: string): string {
  return stripVTControlCharacters(text.replace(/\r\n?/g, '\n')).replace(unseen, '').replaceAll('\t', '  ');
}

/** The same on one line. */
export function untrustedLine(text: string): string {
  return untrustedText(text).replace(/\s+/g, ' ').trim();
}
