// `npm run pictures` renews what README and docs/how-to/web.md show; this part: a design by a scripted panel of three on the page of
// `charrette serve`, in Chromium, to docs/images/web.webp.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { openBrowser } from '../test/support/browser.ts';
import { charrette, runsOf } from '../test/support/program.ts';
import { makeShop } from '../test/support/shop-panel.ts';
import { startServe } from '../test/support/web-server.ts';

const size = { width: 1280, height: 1240 };
const file = path.resolve(import.meta.dirname, '..', 'docs', 'images', 'web.webp');

const shop = await makeShop({ delayMs: 1500 });
const words = ['design', '--auto', '--yes', '--no-branch', '--dialectic', 'binding'];
const feature = 'let customers cancel an order before it is shipped';
const ended = await charrette([...words, feature], {
  cwd: shop.project,
  env: { OPENAI_API_KEY: 'none-is-needed' },
});
if (ended.code !== 0) throw new Error(ended.stderr);
const served = await startServe(shop.project);
const browser = await openBrowser();
try {
  const page = await browser.newPage({ viewport: size, deviceScaleFactor: 1.5, colorScheme: 'light' });
  await page.goto(`${served.url}#/runs/${runsOf(shop.project)[0]}`);
  await page.waitForSelector('.gantt');
  await page.waitForTimeout(500);
  const shot = (await page.screenshot()).toString('base64');
  // Chromium writes WebP from a canvas; the page itself allows no such thing, an empty one does.
  const empty = await browser.newPage();
  const webp = await empty.evaluate(async (png) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    canvas.getContext('2d')?.drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 0.82).split(',')[1] ?? '';
  }, shot);
  writeFileSync(file, Buffer.from(webp, 'base64'));
  process.stdout.write(`${file}: ${Math.round((webp.length * 3) / 4)} bytes\n`);
} finally {
  await browser.close();
  served.live.kill('SIGTERM');
  await served.live.ended;
  await shop.close();
}
