import { isUtf8 } from 'node:buffer';
import { CharretteError } from '../../base/errors.ts';
import type { Terminal } from '../../service/command.ts';
import { maxFeatureBytes } from '../../service/design.ts';

/** The words of a feature. `-` stands for stdin: what one argument can hold ends at 128 KiB. */
export async function readFeature(words: readonly string[], { stdin }: Terminal): Promise<string> {
  const [first, ...more] = words;
  const text = first === '-' && more.length === 0 ? await readAll(stdin) : words.join(' ');
  if (text.includes('\0'))
    throw new CharretteError({ code: 'usage', message: 'The feature has a NUL character; it must be text.' });
  return text.trim();
}

async function readAll(stdin: Terminal['stdin']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxFeatureBytes)
      throw new CharretteError({
        code: 'file-too-large',
        message: `The feature on stdin has more than ${maxFeatureBytes} bytes.`,
        fix: 'Say what to design, and name the files that belong to it instead of their text.',
      });
    chunks.push(bytes);
  }
  const whole = Buffer.concat(chunks);
  if (!isUtf8(whole))
    throw new CharretteError({
      code: 'usage',
      message: 'The feature on stdin is not UTF-8; letters of it would be lost.',
      fix: 'Convert it first, for example with `iconv -f latin1 -t utf-8`.',
    });
  return whole.toString('utf8');
}
