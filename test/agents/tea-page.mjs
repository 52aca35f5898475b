// The page that builders of the tests write, in five versions.
export const leaf = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>\n';

/** 1: too wide, dead button, no alt, pale text, wrong words; each version mends one of them. */
export function page(version) {
  const wide = version < 2 ? 'width: 700px;' : 'max-width: 640px;';
  const pale = version < 4 ? '#b0b0b0' : '#222222';
  const alt = version < 4 ? '' : ' alt="A tea leaf"';
  const act = version < 3 ? '' : ' onclick="this.textContent = \'In the basket\'"';
  const title = version < 5 ? 'Tea for everybody' : 'Tea that tells where it grew';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tea</title>
<style>
body { margin: 0; font-family: Georgia, serif; color: #222222; background: #ffffff; }
main { ${wide} padding: 24px; }
h1 { margin: 0 0 16px; } p { margin: 0 0 16px; color: ${pale}; }
img { width: 64px; height: 64px; }
button { min-height: 48px; padding: 12px 24px; background: #0b5fff; color: #ffffff; border: 0; font: inherit; }
</style>
</head>
<body data-version="${version}">
<main>
<h1>${title}</h1>
<img src="assets/leaf.svg"${alt}>
<p>Every packet names the garden and the week.</p>
<button type="button"${act}>Put in the basket</button>
</main>
</body>
</html>
`;
}
