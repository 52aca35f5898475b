// `node measure.mjs MODULE`: loads a way to compile the prompt, compiles it many times, says what that took as JSON.
import { documents } from './parts.mjs';

const rounds = 2000;
const begun = performance.now();
const { compile } = await import(process.argv[2]);
const first = await compile();
const loadMs = performance.now() - begun;
for (let round = 0; round < rounds / 4; round += 1) await compile();
const times = [];
for (let round = 0; round < rounds; round += 1) {
  const start = performance.now();
  await compile();
  times.push(performance.now() - start);
}
times.sort((one, two) => one - two);
// A document that quotes the mark which closes it: more than one such mark, and nobody can tell where the document ends.
const opening = /<plan[^>]*>/.exec(first)?.[0] ?? '';
const closings = first.split(`</${opening.slice(1)}`).length - 1;
process.stdout.write(
  JSON.stringify({
    loadMs,
    medianMs: times[rounds / 2],
    bytes: Buffer.byteLength(first),
    unchanged: documents.every(({ text }) => first.includes(text)),
    closings,
    rss: process.resourceUsage().maxRSS * 1024,
  }),
);
