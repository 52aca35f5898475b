/** What a person should know about an import that went through. */
export type ImportWarning = {
  code:
    | 'renamed'
    | 'conflict'
    | 'missing-group'
    | 'missing-part'
    | 'not-imported'
    | 'asset-type'
    | 'asset-content'
    | 'svg-cleaned'
    | 'svg-refused'
    | 'markup-cleaned'
    | 'too-large'
    | 'tokens-unreadable'
    | 'copy-shape'
    | 'external'
    | 'script'
    | 'brand-conflict';
  entry?: string;
  text: string;
  /** Ways out, where there is a choice. */
  options?: string[];
};
