const secretName = /(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(?:_ID)?$/i;
const credentialsInAddress = /^([a-z][a-z0-9+.-]*:\/\/[^/@\s:]*):[^/@\s]+@/i;
/** Beginnings that vendors give their keys, what a header says before one, and signed tokens. */
const keyShapes = [
  /(?<![\w-])(?:sk|pk|rk|xai|gsk|glpat|xox[abeprs])-[\w-]{8,}/g,
  /(?<![\w-])(?:gh[opsur]|github_pat|npm|hf)_\w{16,}/g,
  /(?<!\w)(?:AKIA|ASIA)[0-9A-Z]{16}(?!\w)/g,
  /(?<![\w-])AIza[\w-]{30,}/g,
  /(?<![\w-])eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
  /(?<=\b(?:Bearer|Basic) )[\w+/.~=-]{8,}/gi,
];

export const blot = '[secret]';

/** Whether a variable or a setting of this name carries a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** The value of a setting to be shown: all of it blotted out when the name says that it is secret. */
export function shownSetting(name: string, value: unknown): unknown {
  return isSecretName(name) && typeof value === 'string' ? blot : withoutSecrets(value);
}

/** A copy to be shown: values of secret names, what looks like a key, and passwords in addresses are blotted out. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return withoutKeys(value);
  if (Array.isArray(value)) return value.map((item, index) => shownItem(value[index - 1], item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shownSetting(key, inner)]));
}

/** In a command line a secret stands behind its flag, or with it in one word. */
function shownItem(before: unknown, item: unknown): unknown {
  if (typeof item !== 'string') return withoutSecrets(item);
  const flag = typeof before === 'string' && before.startsWith('-') ? before : '';
  if (isSecretName(flag) && !item.startsWith('-')) return blot;
  const at = item.indexOf('=');
  if (at <= 0) return withoutKeys(item);
  return `${item.slice(0, at)}=${String(shownSetting(item.slice(0, at), item.slice(at + 1)))}`;
}

function withoutKeys(text: string): string {
  const open = text.replace(credentialsInAddress, `$1:${blot}@`);
  return keyShapes.reduce((shown, shape) => shown.replace(shape, blot), open);
}
