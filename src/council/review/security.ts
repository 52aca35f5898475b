import type { Finding } from '../../base/schema/judgements/finding.ts';
import { withoutCode } from '../../base/text/without-code.ts';

/** L-694: the forms in which a text says that it is about security. */
const tags = [
  /focus-area\s{0,20}=\s{0,20}security/i,
  /^[\s>*-]{0,20}focus-area(?:\*\*)?\s{0,5}:(?:\*\*)?\s{0,5}security/im,
  /\[security\]/i,
];

/** Whether a text carries the security tag outside code, where it is only talked about (F-43). When in doubt it does. */
export function hasSecurityTag(text: string): boolean {
  const prose = withoutCode(text);
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
