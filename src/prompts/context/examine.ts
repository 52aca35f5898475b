import { scanLines } from '../../base/text/markdown-lines.ts';
import { imitatesOurs } from './block.ts';
import { blockHeader } from './defaults.ts';
import { type LogLine, warning } from './log.ts';

/** Without one of these there is nothing to report, and a search for them is many times faster than a scan. */
const suspects = ['```', '~~~', '<!--', blockHeader, '> source: ', '> truncated: ', '> warnings: ['];

/** what a reader of the log should know about a document that is passed on unchanged. */
export function examine(token: string, text: string): LogLine[] {
  if (!suspects.some((suspect) => text.includes(suspect))) return [];
  let imitation: number | undefined;
  const end = scanLines(text, (_kind, start, lineEnd, _next, number) => {
    const code = text.charCodeAt(start);
    if (imitation === undefined && (code === 62 || code === 35)) {
      if (imitatesOurs(text.slice(start, Math.min(lineEnd, start + 300)))) imitation = number;
    }
    return true;
  });
  const log: LogLine[] = [];
  if (imitation !== undefined) {
    log.push(warning(`${token}: line ${imitation} looks like a line of the block itself`));
  }
  if (end.openFence)
    log.push(warning(`${token}: a code fence is never closed; no heading after it ends a section`));
  if (end.openComment)
    log.push(warning(`${token}: a comment is never closed; the rest of the file is inside it`));
  return log;
}
