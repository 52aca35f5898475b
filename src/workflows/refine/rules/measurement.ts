import { type ContrastFailure, checkContrast, useOfText } from '../brand/contrast.ts';
import type { Identity } from '../brand/identity.ts';
import { brandProblems } from './brand-fit.ts';
import { compareCopy } from './copy.ts';
import type { FindingId } from './profiles.ts';
import { slopPatterns } from './slop.ts';

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
  /** Why there is nothing: no browser, no page. It is said, never guessed. */
  | { measured: false; reason: string };

export const limits = {
  /** 80 blocks, 90 is aimed at. */
  accessibility: { least: 80, target: 90 },
  mobileWidth: 375,
  /** Part of all distances that may be off the 4 px grid. */
  offScale: 0.1,
} as const;

export type MeasuredFinding = { id: FindingId; detail: string };

export type Measured = {
  findings: MeasuredFinding[];
  /** Patterns of generated design that were seen. */
  slop: string[];
  /** Worth knowing, counted nowhere. */
  notes: string[];
  contrast: (ContrastFailure & { element: string })[];
  /** What could not be looked at. */
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
