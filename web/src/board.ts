import mermaid from 'mermaid';
import type { Drawn } from './draw.ts';

type Order = { id: number; source: string; theme: 'light' | 'dark' };

const palettes = {
  light: {
    background: '#ffffff',
    edgeLabelBackground: '#ffffff',
    primaryColor: '#e8f0f7',
    primaryTextColor: '#1d1c1a',
    primaryBorderColor: '#2c5f8a',
    lineColor: '#57534c',
    secondaryColor: '#f4efe2',
    tertiaryColor: '#eef4ee',
  },
  dark: {
    darkMode: true,
    background: '#1a1c20',
    edgeLabelBackground: '#1a1c20',
    primaryColor: '#1f3144',
    primaryTextColor: '#e9e7e2',
    primaryBorderColor: '#8fbce6',
    lineColor: '#b5b1a8',
    secondaryColor: '#332c1b',
    tertiaryColor: '#1d2c23',
  },
} as const;

/** The program of the drawing board: takes orders from the page that holds it, returns pictures. */
addEventListener('message', ({ data, source }: MessageEvent<Order>) => {
  if (source !== parent) return;
  void drawOrder(data).then((drawn) => parent.postMessage(drawn, '*'));
});

async function drawOrder({ id, source, theme }: Order): Promise<Drawn> {
  try {
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: 'strict',
      // A diagram must not change these settings; the second layout engine is not bundled.
      secure: [
        'secure',
        'securityLevel',
        'startOnLoad',
        'maxTextSize',
        'maxEdges',
        'layout',
        'htmlLabels',
        'themeCSS',
        'fontFamily',
      ],
      layout: 'dagre',
      htmlLabels: false,
      flowchart: { htmlLabels: false, wrappingWidth: 260 },
      theme: 'base',
      themeVariables: { ...palettes[theme], fontFamily: 'Inter, system-ui, sans-serif', fontSize: '15px' },
      maxTextSize: 100_000,
      maxEdges: 1000,
    });
    const { svg } = await mermaid.render(`diagram-${id}`, source);
    return { id, svg: pictureOf(svg) };
  } catch (error) {
    return { id, problem: error instanceof Error ? error.message : String(error) };
  } finally {
    document.body.replaceChildren();
  }
}

/** Mermaid gives markup of a page, as wide as its place; a picture is a separate document and has the size of what is drawn. */
function pictureOf(markup: string): string {
  document.body.innerHTML = markup;
  const drawing = document.body.querySelector('svg');
  if (drawing === null) throw new Error('nothing was drawn');
  const { width, height } = drawing.viewBox.baseVal;
  if (width > 0 && height > 0) {
    drawing.setAttribute('width', `${width}`);
    drawing.setAttribute('height', `${height}`);
    drawing.style.removeProperty('max-width');
  }
  return new XMLSerializer().serializeToString(drawing);
}
