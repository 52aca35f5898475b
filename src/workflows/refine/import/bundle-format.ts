import { open, stat } from 'node:fs/promises';
import { notFound, unsupportedFormat } from './import-errors.ts';
import { limits } from './limits.ts';
import { extensionOf } from './scan-entries.ts';

/** By extension and by first bytes; both must agree. */
export async function formatOf(file: string): Promise<'zip' | 'html'> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) throw notFound(file);
  if (!found.isFile()) throw unsupportedFormat('not a regular file');
  const handle = await open(file, 'r').catch(() => {
    throw notFound(file);
  });
  const head = Buffer.alloc(1024);
  const { bytesRead } = await handle.read(head, 0, head.length, 0).finally(() => handle.close());
  const start = head.subarray(0, bytesRead);
  const extension = extensionOf(file);
  const isZip = start.subarray(0, 4).toString('latin1') === 'PK\x03\x04';
  const isHtml = beginsLikeHtml(start.toString('utf8'));
  if (isZip && extension === 'zip') return 'zip';
  if (isHtml && (extension === 'html' || extension === 'htm')) {
    if (found.size > limits.htmlBytes)
      throw unsupportedFormat(`an HTML page of ${found.size} bytes, over ${limits.htmlBytes}`);
    return 'html';
  }
  const kind = isZip
    ? 'a ZIP archive by its content'
    : isHtml
      ? 'HTML by its content'
      : 'of an unknown kind by its content';
  throw unsupportedFormat(
    `${kind} and ${extension === '' ? 'has no extension' : `.${extension}`} by its name`,
  );
}

/** Whether the first tag, after blanks and comments, is that of a page. */
function beginsLikeHtml(text: string): boolean {
  let rest = text.replace(/^\ufeff/, '').trimStart();
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->', 4);
    if (end < 0) return false;
    rest = rest.slice(end + 3).trimStart();
  }
  return /^<(?:!doctype\s+html|html[\s>])/i.test(rest);
}
