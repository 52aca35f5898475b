/** Words of a name that speak of a secret; those behind a space only as a whole word, the others at the end of one too: `PGPASSWORD`. */
const secretWord =
  /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?| (?:KEYS|SECRETS|PASSWORDS|HEADERS|AUTHORIZATION|COOKIES?)|\w PWD)(?= )| PASS $/;
/** Last words of names that speak of a secret and do not hold it: where it is, how it is called, how much of it there is. */
const harmlessEnd =
  / (?:BUDGET|COUNT|DIR|DIRECTORY|FILE|FOLDER|LENGTH|LIMIT|LIMITS|MAX|MIN|MODE|NAME|NAMES|PATH|SIZE|TIMEOUT|TTL|TYPE) $/;
/** An address with a user's password: the part before the password, and the password. */
const passwordInAddress = /(?<![\w+.-])([a-z][a-z0-9+.-]*:\/\/[^/?#@\s:"']*:)([^/?#\s"']+)(?=@)/gi;
/**
 * The same without the scheme, for text that is cut anywhere: the password, or a long token alone. Slashes may be escaped, as some
 * write them in JSON.
 */
const credentialInAddress =
  /(:\\{0,4}\/\\{0,4}\/)(?:([^/?#@: \t\r\n"'<>`]{0,200}:)(?!\[secret\]@)[^/?# \t\r\n"'<>`]{1,2000}|[\w.-]{20,500})(?=@)/g;
/** The end of a text that may still become an address with a password. */
const unfinishedAddress = /:\\{0,4}(?:\/\\{0,4}(?:\/[^/?# \t\r\n"'<>`]{0,2000})?)?$/;
const parameterInAddress = /([?&])([\w.-]+)=([^&#\s"']+)/g;
/** Beginnings that vendors give their keys, what a header says before one, and signed tokens. */
const keyShapes = [
  /(?<![\w-])(?:sk|pk|rk|xai|gsk|glpat|xox[abeprs])-[\w-]{8,}/g,
  /(?<![\w-])(?:gh[opsur]|github_pat|npm|hf)_\w{16,}/g,
  /(?<!\w)(?:AKIA|ASIA)[0-9A-Z]{16}(?!\w)/g,
  /(?<![\w-])AIza[\w-]{30,}/g,
  /(?<![\w-])eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
  /(?<=\b(?:Bearer|Basic) )[\w+/.~=-]{8,}/gi,
];

export const redactionMark = '[secret]';

/** A text to show, and the secrets removed from it. */
type Redacted = { shown: string; secrets: string[] };

/** Whether a variable or a setting of this name carries a secret. */
export function isSecretName(name: string): boolean {
  const words = ` ${name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[^A-Za-z]+/g, ' ')
    .trim()
    .toUpperCase()} `;
  return secretWord.test(words) && !harmlessEnd.test(words);
}

/** The value of a setting to show: redacts all of it when the name says that it is secret. */
export function shownSetting(name: string, value: unknown): unknown {
  return typeof value === 'string' ? redactSetting(name, value).shown : withoutSecrets(value);
}

/** A copy to show: redacts values of secret names, key shapes, and passwords in addresses. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value).shown;
  if (Array.isArray(value)) return value.map((item, index) => shownItem(value[index - 1], item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shownSetting(key, inner)]));
}

function shownItem(before: unknown, item: unknown): unknown {
  return typeof item === 'string' ? redactWord(before, item).shown : withoutSecrets(item);
}

/** A variable or a setting: its name may say that all of it is secret. */
export function redactSetting(name: string, value: string): Redacted {
  return isSecretName(name) ? whole(value) : redactText(value);
}

/** A command line: a secret follows its flag, or is in one word with it. */
export function redactCommand(command: readonly string[]): { shown: string[]; secrets: string[] } {
  const words = command.map((word, index) => redactWord(command[index - 1], word));
  return { shown: words.map(({ shown }) => shown), secrets: words.flatMap(({ secrets }) => secrets) };
}

function redactWord(before: unknown, word: string): Redacted {
  const flag = typeof before === 'string' && /^-[^=]*$/.test(before) ? before : '';
  if (isSecretName(flag) && !word.startsWith('-')) return whole(word);
  const [, name = '', sign = '', value = ''] = /^([\w.-]+)(=|: +)(.*)$/s.exec(word) ?? [];
  if (name === '') return redactText(word);
  const { shown, secrets } = redactSetting(name, value);
  return { shown: `${name}${sign}${shown}`, secrets };
}

/** A text: what looks like a key, and passwords in addresses. */
export function redactText(text: string): Redacted {
  const secrets: string[] = [];
  const hide = (secret: string) => {
    secrets.push(secret);
    return redactionMark;
  };
  const open = text
    .replace(passwordInAddress, (_, before: string, password: string) => `${before}${hide(password)}`)
    .replace(parameterInAddress, (all, sign: string, name: string, value: string) =>
      isSecretName(name) ? `${sign}${name}=${hide(value)}` : all,
    );
  const shown = keyShapes.reduce((left, shape) => left.replace(shape, hide), open);
  return { shown, secrets };
}

/** Where the credentials of addresses are in a text: `pass` in `https://user:pass@host`. */
export function addressCredentials(text: string): { start: number; end: number }[] {
  if (!text.includes('@')) return [];
  return [...text.matchAll(credentialInAddress)].map(({ index, 0: all, 1: before = '', 2: user = '' }) => ({
    start: index + before.length + user.length,
    end: index + all.length,
  }));
}

/** How many characters at the end of a text may be the beginning of an address with credentials. */
export function unfinishedAddressLength(text: string): number {
  const at = text.slice(-2100).search(unfinishedAddress);
  return at === -1 ? 0 : Math.min(text.length, 2100) - at;
}

/** A value without the credentials of addresses, however deep they are in it. */
export function withoutAddressCredentials<Value>(value: Value): Value;
export function withoutAddressCredentials(value: unknown): unknown {
  if (typeof value === 'string')
    return value.includes('@') ? value.replace(credentialInAddress, `$1$2${redactionMark}`) : value;
  if (Array.isArray(value)) return value.map((item: unknown) => withoutAddressCredentials(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutAddressCredentials(inner)]),
  );
}

function whole(secret: string): Redacted {
  return { shown: redactionMark, secrets: [secret] };
}
