import { createInterface } from 'node:readline';
import { untrustedLine } from '../../base/text/untrusted.ts';
import type { Question } from '../../engine/question.ts';
import type { Terminal } from '../../service/command.ts';

/** Asks where nothing can be drawn over (`TERM=dumb`): plain lines out, one line in. Nothing when nobody answers. */
export async function askByLine(
  { text, detail, options, recommended }: Question,
  { stdin, stderr }: Terminal,
  signal: AbortSignal,
): Promise<string | undefined> {
  const proposed = recommended === undefined ? '' : ` (Enter: ${untrustedLine(recommended)})`;
  const offered = options?.map(({ value, label }) => `  ${untrustedLine(value)}: ${label}`) ?? [];
  stderr.write(
    `${[...(detail === undefined ? [] : [detail]), `${text}${proposed}`, ...offered].join('\n')}\n> `,
  );
  const lines = createInterface({ input: stdin, terminal: false, signal });
  try {
    for await (const line of lines) {
      const answer = line.trim() === '' ? recommended : line;
      const meant =
        options === undefined ? answer : options.find(({ value }) => value === answer?.trim())?.value;
      if (meant !== undefined) return meant;
      stderr.write('> ');
    }
    return undefined;
  } finally {
    lines.close();
  }
}
