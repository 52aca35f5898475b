/** Words that name a thing and no value: no digits, no code, no paths, no quotes. */
const subject = "(?:[\\p{L}'’-]+ ){0,8}";
/** These may also merely run, or have no faults. */
const anything =
  '(?:it |everything |there (?:is|are) |the (?:code|feature|change|app|system|function)s? (?:has |have )?)?';

const modal = '(?:should |must |will |shall )?';
const adverb = '(?:correctly|properly|well|fine|reliably|as (?:expected|intended|planned|it should))';
const praise = '(?:good|better|great|improved|high)';
const virtue = '(?:performance|quality|code|ux)';

/** P-068, PL004: whole sentences that are true of everything until it fails. */
const sentences = [
  `${subject}${modal}(?:works?|functions?|runs?|behaves?|performs?) ${adverb}`,
  `${anything}${modal}(?:works?|functions?|runs?|behaves?)`,
  `${subject}(?:of )?${praise} ${virtue}`,
  `${subject}(?:is|are|be|looks?) (?:correct|fine|good|better|improved|great|done|complete|user[- ]friendly)`,
  `${subject}(?:properly|correctly|well|fully) (?:implemented|done|tested|working|handled|integrated)`,
  `${subject}handles? (?:everything|all cases)`,
  `${anything}no (?:bugs|errors|issues)`,
  'done|completed?|user[- ]friendly|looks? good',
];

const vague = new RegExp(`^(?:${sentences.join('|')})[.!]?$`, 'iu');

/** Whether a criterion says nothing that could be checked. */
export function isVague(criterion: string): boolean {
  return vague.test(criterion.trim().replace(/\s+/g, ' '));
}
