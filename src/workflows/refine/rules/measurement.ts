import { isRecord } from '../../../base/safe-json.ts';
import {
  type Colour,
  type ContrastFailure,
  checkContrast,
  distance,
  parseColour,
  toHsl,
  useOfText,
} from '../brand/colour.ts';
import type { Identity } from '../brand/identity.ts';
import type { FindingId } from './profiles.ts';

/** Colours nearer than this look the same. */
const sameColour = 12;

/** Where a page is not the brand, as far as that can be measured: its typefaces, and whether its colours occur at all. */
function brandProblems(
  identity: Identity,
  { fonts, colours }: Pick<PageFacts, 'fonts' | 'colours'>,
): string[] {
  const problems: string[] = [];
  for (const { name, value } of identity.fonts) {
    const used = /head|display|title/.test(name) ? fonts.headings : fonts.body;
    const wrong = used.filter((family) => family.toLowerCase() !== value.toLowerCase());
    if (used.length > 0 && wrong.length === used.length)
      problems.push(
        `${name || 'text'} is set in ${wrong.slice(0, 3).join(', ')}, the brand's typeface is ${value}`,
      );
  }
  const seen = colours.flatMap((text) => parseColour(text) ?? []);
  const lead = identity.colours.find(({ name }) => /^primary/.test(name)) ?? identity.colours[0];
  const wanted = lead === undefined ? undefined : parseColour(lead.value);
  if (
    lead !== undefined &&
    wanted !== undefined &&
    !seen.some((colour) => distance(colour, wanted) <= sameColour)
  )
    problems.push(`the brand's ${lead.name} ${lead.value} occurs nowhere`);
  return problems;
}

type SlopFacts = Pick<PageFacts, 'gradients' | 'whiteCards' | 'stockIcons' | 'text'>;

/** Looks that generated pages share, each told from facts. */
const slopTable: readonly { id: string; seen: (facts: SlopFacts) => boolean }[] = [
  {
    // #8B5CF6 to #6D28D9 and what lies between them.
    id: 'purple-gradient',
    seen: ({ gradients }) =>
      gradients.some(({ colours, share }) => share >= 0.2 && colours.filter(isViolet).length >= 2),
  },
  { id: 'generic-white-cards', seen: ({ whiteCards }) => whiteCards >= 3 },
  {
    id: 'emoji-icons',
    seen: ({ text }) =>
      (text.match(/[\u{1f680}\u{2728}\u{1f4a1}\u{26a1}\u{1f3af}\u{1f525}]/gu) ?? []).length >= 3,
  },
  {
    id: 'stock-phrases',
    seen: ({ text }) =>
      (
        text.match(
          /\b(?:supercharge|unleash|seamless(?:ly)?|game[- ]chang|next[- ]level|revolutioni[sz]e|cutting[- ]edge|lorem ipsum)/gi,
        ) ?? []
      ).length >= 2,
  },
];

function slopPatterns(facts: SlopFacts): string[] {
  return slopTable.filter(({ seen }) => seen(facts)).map(({ id }) => id);
}

function isViolet(text: string): boolean {
  const colour: Colour | undefined = parseColour(text);
  if (colour === undefined) return false;
  const [hue, saturation, lightness] = toHsl(colour);
  return hue >= 255 && hue <= 267 && saturation >= 0.6 && lightness >= 0.45 && lightness <= 0.7;
}

/** Texts that the page must have word for word: `primary` of the sections of copy.json. */
export function contractedCopy(copy: unknown): string[] {
  if (!isRecord(copy)) return [];
  const sections = copy['sections'];
  const list = Array.isArray(sections) ? sections : isRecord(sections) ? Object.values(sections) : [];
  return list.flatMap((section) => (isRecord(section) ? textsOf(section['primary']) : [])).slice(0, 500);
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return isRecord(value) ? Object.values(value).flatMap(textsOf) : [];
}

/** Contracted texts that the page does not have; white space and the case that CSS may change do not count. */
export function compareCopy(contracted: readonly string[], pageText: string): string[] {
  const page = plain(pageText);
  return contracted
    .filter((text) => !page.includes(plain(text)))
    .map((text) => `missing: ${JSON.stringify(text.slice(0, 120))}`);
}

function plain(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim().toLowerCase();
}

/** What a browser saw of a page. Facts only; what they mean is decided in `findingsOf`. */
export type PageFacts = {
  /** Widest content at 375 px, and what sticks out. */
  mobile: { width: number; overflowing: string[] };
  deadElements: string[];
  missingAlt: string[];
  contrast: {
    element: string;
    foreground: string;
    background: string;
    pixels: number;
    bold: boolean;
  }[];
  accessibility: { score: number; failed: { rule: string; impact: string; count: number }[] };
  smallTargets: string[];
  /** Whether the first action is visible without scrolling at 375 × 667; `null` when there is none. */
  actionAboveFold: boolean | null;
  spacing: { values: number; offScale: number; samples: string[] };
  stockIcons: string[];
  gradients: { colours: string[]; share: number }[];
  whiteCards: number;
  text: string;
  fonts: { headings: string[]; body: string[] };
  colours: string[];
  failedRequests: string[];
  scriptErrors: string[];
};

export type Measurement =
  | { measured: true; browser: string; facts: PageFacts; screenshots: string[] }
  /** Why nothing was measured: no browser, no page. Reported, never guessed. */
  | { measured: false; reason: string };

const limits = {
  /** 80 blocks, 90 is aimed at. */
  accessibility: { least: 80, target: 90 },
  mobileWidth: 375,
  /** Part of all distances that may be off the 4 px grid. */
  offScale: 0.1,
} as const;

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

export type MeasuredFinding = { id: FindingId; detail: string };

export type Measured = {
  findings: MeasuredFinding[];
  /** Patterns of generated design that were seen. */
  slop: string[];
  /** Worth knowing, counted nowhere. */
  notes: string[];
  contrast: (ContrastFailure & { element: string })[];
  /** What could not be measured. */
  notMeasured: string[];
};

/** What the facts mean: the findings that block or cap, and what else a builder should know. */
export function findingsOf(
  measurement: Measurement,
  expected: { copy: readonly string[]; identity: Identity | undefined },
): Measured {
  if (!measurement.measured) {
    const all = [
      'copy',
      'mobile width',
      'interactive elements',
      'accessibility',
      'contrast',
      'alt texts',
      'spacing',
      'icons',
      'look',
      'brand',
    ];
    return { findings: [], slop: [], notes: [], contrast: [], notMeasured: all };
  }
  const { facts } = measurement;
  const findings: MeasuredFinding[] = [];
  const add = (id: FindingId, found: readonly string[]) => {
    if (found.length > 0) findings.push({ id, detail: shorten(found) });
  };
  add('copy-mismatch', compareCopy(expected.copy, facts.text));
  const slop = slopPatterns(facts);
  if (slop.includes('purple-gradient') && slop.includes('generic-white-cards'))
    add('slop', ['a purple gradient is the main visual, with generic white cards']);
  if (facts.mobile.width > limits.mobileWidth)
    add('broken-mobile', [
      `the page is ${facts.mobile.width} px wide at ${limits.mobileWidth} px`,
      ...facts.mobile.overflowing,
    ]);
  add('dead-element', facts.deadElements);
  if (facts.accessibility.score < limits.accessibility.least)
    add('accessibility', [
      `score ${facts.accessibility.score}`,
      ...facts.accessibility.failed.map(({ rule, count }) => `${rule} ×${count}`),
    ]);
  add('missing-alt', facts.missingAlt);
  add('stock-icons', facts.stockIcons);
  if (facts.spacing.values > 0 && facts.spacing.offScale / facts.spacing.values > limits.offScale)
    add('off-scale-spacing', [
      `${facts.spacing.offScale} of ${facts.spacing.values} distances are off the 4 px grid`,
      ...facts.spacing.samples,
    ]);
  if (expected.identity !== undefined) add('brand', brandProblems(expected.identity, facts));
  const palette = expected.identity?.colours.map(({ value }) => value) ?? [];
  return {
    findings,
    slop,
    notes: notesOf(facts),
    contrast: facts.contrast.flatMap(({ element, foreground, background, pixels, bold }) => {
      const failure = checkContrast(foreground, background, useOfText(pixels, bold), palette);
      return failure === undefined ? [] : [{ element, ...failure }];
    }),
    notMeasured: [
      ...(expected.copy.length === 0 ? ['copy'] : []),
      ...(expected.identity === undefined ? ['brand'] : []),
    ],
  };
}

function notesOf({
  accessibility,
  smallTargets,
  actionAboveFold,
  failedRequests,
  scriptErrors,
}: PageFacts): string[] {
  return [
    ...(accessibility.score < limits.accessibility.target
      ? [`accessibility score ${accessibility.score}, aimed at ${limits.accessibility.target}`]
      : []),
    ...smallTargets.map((target) => `touch target below 44 px: ${target}`),
    ...(actionAboveFold === false ? ['the first action is below the fold at 375 × 667'] : []),
    ...failedRequests.map((request) => `request failed: ${request}`),
    ...scriptErrors.map((error) => `script error: ${error}`),
  ];
}

function shorten(found: readonly string[]): string {
  const shown = found.slice(0, 8).join('; ');
  return found.length > 8 ? `${shown}; and ${found.length - 8} more` : shown;
}
