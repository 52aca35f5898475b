/** A short kebab-case name made of a text's words, `fallback` when none of its characters survive. */
export function slugify(text: string, maximum = 50, fallback = 'untitled'): string {
  const slug = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return cutAtWord(slug, maximum) || fallback;
}

function cutAtWord(slug: string, maximum: number): string {
  if (slug.length <= maximum) return slug;
  const cut = slug.slice(0, maximum + 1);
  const boundary = cut.lastIndexOf('-');
  return (boundary > 0 ? cut.slice(0, boundary) : slug.slice(0, maximum)).replace(/-+$/, '');
}
