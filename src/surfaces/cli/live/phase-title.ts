import { untrustedLine } from '../../../base/text/untrusted.ts';

/** The words of a breadcrumb line without its separator, emphasis, leading mark and closing time. */
export function phaseTitle(line: string): string {
  const last = line.split('\n').findLast((part) => part.trim() !== '') ?? '';
  return withoutEmphasis(untrustedLine(last))
    .replace(/^[^\p{Letter}\p{Number}]+/u, '')
    .replace(/ \((?:\d+[hms])+\)$/, '');
}

/** A note or a warning without the emphasis that it has on plain lines. */
export function noteText(text: string): string {
  return withoutEmphasis(untrustedLine(text)).replace(/^⚠\s*/u, '');
}

function withoutEmphasis(line: string): string {
  return line.replace(/^>\s*/, '').replace(/^\*\*(.*)\*\*$/, '$1');
}
