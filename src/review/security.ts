import type { Finding } from '../schema/judgements/finding.ts';

/** L-694: the forms in which a text says that it is about security. */
const tags = [
  /focus-area\s*=\s*security/i,
  /^[\s>*-]*(?:\*\*)?focus-area(?:\*\*)?\s*:(?:\*\*)?\s*security/im,
  /\[security\]/i,
];

/** Closed fences and code spans, in which the tag is only talked about (F-43). An unclosed one hides nothing. */
const quoted = [
  /^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?^ {0,3}\1[`~]*[ \t]*$/gm,
  /(?<!`)(`+)(?!`)(?:(?!\n\n)[\s\S])*?(?<!`)\1(?!`)/g,
];

/** Whether a text carries the security tag outside code. When in doubt it does. */
export function hasSecurityTag(text: string): boolean {
  const prose = quoted.reduce((rest, pattern) => rest.replace(pattern, ' '), text);
  return tags.some((tag) => tag.test(prose));
}

/** Whether a finding must stay local. */
export function isSecurityFinding(
  finding: Pick<Finding, 'title' | 'focusArea' | 'concern' | 'suggestedRevision'>,
): boolean {
  return (
    finding.focusArea === 'security' ||
    [finding.title, finding.concern, finding.suggestedRevision].some(hasSecurityTag)
  );
}
