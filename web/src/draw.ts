import type { Theme } from './theme.ts';

/** What the drawing board answers. */
export type Drawn = { id: number; svg?: string; problem?: string };

const limitMs = 20_000;
let counter = 0;
let board: Promise<HTMLIFrameElement> | undefined;

/**
 * Draws a diagram on a separate board: a frame without origin, without network and without a way to this page but one
 * message back. Mermaid is loaded there, the first time something is to be drawn.
 */
export async function draw(source: string, theme: Theme): Promise<string> {
  board ??= openBoard();
  const frame = await board;
  counter += 1;
  const id = counter;
  return new Promise((resolve, reject) => {
    const finish = () => {
      clearTimeout(timer);
      removeEventListener('message', onMessage);
    };
    const timer = setTimeout(() => {
      finish();
      reject(new Error('drawing took too long'));
    }, limitMs);
    const onMessage = ({ source: from, data }: MessageEvent<Drawn>) => {
      if (from !== frame.contentWindow || data.id !== id) return;
      finish();
      if (typeof data.svg === 'string') resolve(data.svg);
      else reject(new Error(String(data.problem)));
    };
    addEventListener('message', onMessage);
    frame.contentWindow?.postMessage({ id, source, theme }, '*');
  });
}

async function openBoard(): Promise<HTMLIFrameElement> {
  const packed = document.getElementById('charrette-board')?.textContent;
  const own = packed === undefined || packed === null ? undefined : await unpack(packed);
  return new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.className = 'board';
    frame.title = 'Drawing board';
    frame.setAttribute('aria-hidden', 'true');
    frame.tabIndex = -1;
    frame.addEventListener('load', () => resolve(frame), { once: true });
    if (own === undefined) frame.src = '/board.html';
    else frame.srcdoc = own;
    document.body.append(frame);
  });
}

/** A report carries its board packed: mermaid is larger than all the rest together. */
async function unpack(text: string): Promise<string> {
  const bytes = Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}
