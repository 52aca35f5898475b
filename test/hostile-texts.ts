/** Texts that make careless patterns slow: long runs of what they look for, never closed. */
export function hostileTexts(size: number): string[] {
  const many = (piece: string) => piece.repeat(Math.floor(size / piece.length));
  return [
    `a${many(' ')}b`,
    `${many('\t')}x`,
    many('*'),
    many('_'),
    many('`'),
    many('` `` ``` '),
    many('- '),
    many('1. x\n'),
    many('#'),
    `1. x\n${many('a\n\n')}`,
    `1. x\n  b\n${many('\n')}a`,
    many('### FINDING_1: a\n'),
    many('a:'),
    many('x.'),
    many('a/'),
    many('['),
    many('|'),
    many('<claim>'),
    `${many('&amp;')}lt;claim`,
    many('\n'),
    many(' \n'),
    many('**a** '),
    many('```x\n'),
    many('focus-area '),
    `1. ${many('correctness ')}`,
    `1. ${many('**[')}`,
    `## Files to modify/create\n- new ${many('a')}`,
    `## Files to modify/create\n${many('- `')}`,
  ];
}
