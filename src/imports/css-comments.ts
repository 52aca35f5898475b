/** A style sheet with every comment replaced; one that is never closed stays as it is. */
export function withoutComments(css: string, replacement: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let open = css.indexOf('/*'); open >= 0; open = css.indexOf('/*', from)) {
    const close = css.indexOf('*/', open + 2);
    if (close < 0) break;
    kept.push(css.slice(from, open), replacement);
    from = close + 2;
  }
  return kept.join('') + css.slice(from);
}
