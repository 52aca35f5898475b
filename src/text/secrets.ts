const secretName = /(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(?:_ID)?$/i;
const credentialsInAddress = /^([a-z][a-z0-9+.-]*:\/\/[^/@\s:]*):[^/@\s]+@/i;

export const blot = '[secret]';

/** Whether a variable or a setting of this name carries a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** A copy to be shown: values of secret names and passwords in addresses are blotted out. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(credentialsInAddress, `$1:${blot}@`);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      isSecretName(key) && typeof inner === 'string' ? blot : withoutSecrets(inner),
    ]),
  );
}
