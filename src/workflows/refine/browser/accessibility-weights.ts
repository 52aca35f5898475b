/** How much a rule counts in the accessibility score; rules that are not named count 3. */
const weights: Readonly<Record<number, readonly string[]>> = {
  10: [
    'aria-allowed-attr',
    'aria-command-name',
    'aria-hidden-body',
    'aria-input-field-name',
    'aria-meter-name',
    'aria-required-attr',
    'aria-required-children',
    'aria-required-parent',
    'aria-roles',
    'aria-toggle-field-name',
    'aria-valid-attr',
    'aria-valid-attr-value',
    'button-name',
    'duplicate-id-aria',
    'image-alt',
    'input-button-name',
    'input-image-alt',
    'label',
    'meta-refresh',
    'meta-viewport',
    'select-name',
    'video-caption',
  ],
  7: [
    'aria-dialog-name',
    'aria-hidden-focus',
    'aria-progressbar-name',
    'aria-tooltip-name',
    'bypass',
    'color-contrast',
    'definition-list',
    'dlitem',
    'document-title',
    'frame-title',
    'html-has-lang',
    'html-lang-valid',
    'link-in-text-block',
    'link-name',
    'list',
    'listitem',
    'object-alt',
    'tabindex',
    'td-headers-attr',
    'target-size',
    'valid-lang',
  ],
};

const weightOf = new Map(
  Object.entries(weights).flatMap(([weight, rules]) => rules.map((rule) => [rule, Number(weight)])),
);

/** From 0 to 100: the weight of the rules that hold over that of all rules that apply. */
export function accessibilityScore(passed: readonly string[], failed: readonly string[]): number {
  const sum = (rules: readonly string[]) =>
    rules.reduce((total, rule) => total + (weightOf.get(rule) ?? 3), 0);
  const all = sum(passed) + sum(failed);
  return all === 0 ? 100 : Math.floor((100 * sum(passed)) / all);
}
