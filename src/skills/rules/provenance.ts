import type { Document } from '../document/document.ts';
import { containsAny, type Occurrence, occurrences } from '../lint/occurrences.ts';

const provenanceWords = ['onvert', 'xtract', 'igrat', 'orted from', '转换', '迁移', 'commands/'];
const note =
  /^[ \t>]*(?:[-*][ \t]+)?[*_]{0,3}(?:(?:source|origin|provenance|来源|出处|源)[*_]{0,3}\s*[:：][*_]{0,3}([^\n]*(?:convert|extract|migrat|转换|迁移|commands\/)[^\n]*)|(?:converted|extracted|migrated|ported|转换)\s*(?:from|自)([^\n]*(?:commands?\/|\bcommand\b|\.md)[^\n]*))$/gim;

/** A name or path, a number or date, Chinese, or a word that sentences on a source are made of. */
const word =
  /^(?:`[^`]*`|\[.*\)|\S*[\w}]\/\S*|\/[\w:-]+|\S+\.md|v?\d[\d.:-]*|[\p{Script=Han}\d]+|(?:auto(?:matically|-converted)?|converted|extracted|migrated|ported|adapted|fused|shared|merged|split|taken|derived|generated|from|by|on|at|in|of|and|with|the|this|its|an?|is|was|original|old|former|legacy|source|slash|commands?|files?|skills?|documents?|phases?|steps?|sections?|parts?|versions?)[.。]?)[.。]?$/iu;

/** HY004: lines that say where a text comes from and nothing else; what is told besides may be an instruction. */
export function provenanceNotes(document: Document): Occurrence[] {
  if (!containsAny(document.text, provenanceWords)) return [];
  return occurrences(document, note, 'prose').filter(({ match }) => isOnlyNote(match[1] ?? match[2] ?? ''));
}

function isOnlyNote(text: string): boolean {
  const pieces = text.slice(0, 1_000).match(/`[^`]*`|\[[^[\]]*\]\([^()\s]*\)|[^\s,、+&*_()[\]`]+/g) ?? [];
  return text.length <= 1_000 && pieces.every((piece) => /^[.。]$/.test(piece) || word.test(piece));
}
