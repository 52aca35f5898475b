// A separate program: reads a diagram on stdin, writes {"ok":…} on stdout. The parser is large and meant for browsers, so it
// runs in its own process, for one diagram.
import DOMPurify from 'dompurify';

const maximum = 256 * 1024;

// Without a document DOMPurify has no methods; parsing only needs them to exist, nothing is rendered here.
Object.assign(DOMPurify, { addHook: () => undefined, sanitize: (text: unknown) => String(text) });

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    size += (chunk as Buffer).length;
    if (size > maximum) throw new Error(`the diagram has more than ${maximum} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function verdict(): Promise<{ ok: boolean; message?: string; type?: string }> {
  const source = await readInput();
  const { default: mermaid } = await import('mermaid');
  try {
    const parsed = await mermaid.parse(source);
    return { ok: true, type: parsed.diagramType };
  } catch (error) {
    return { ok: false, message: (error instanceof Error ? error.message : String(error)).slice(0, 2000) };
  }
}

process.stdout.write(JSON.stringify(await verdict()));
