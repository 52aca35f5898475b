/** What an artifact is judged by. Everything about a profile is data; the rules that read it know no dimension. */
export type Dimension = {
  id: string;
  title: string;
  /** Part of the total; the weights of a profile sum to 1. */
  weight: number;
  /** What the contract aims at in this dimension. */
  target: number;
  /** What is judged, for the contract and for the evaluator. */
  about: string;
  anchors: Readonly<Record<Anchor, string>>;
};

export const anchors = ['0.25', '0.50', '0.75', '1.00'] as const;
export type Anchor = (typeof anchors)[number];

/** A finding that keeps a dimension from scoring more than so much. */
export type Cap = { finding: FindingId; dimension: string; at: number };

export type Profile = {
  name: string;
  dimensions: readonly Dimension[];
  caps: readonly Cap[];
  /** Findings with which nothing passes. */
  mustPass: readonly FindingId[];
  /** Dimensions that must reach the threshold by themselves. */
  mustPassDimensions: readonly string[];
  /** How the checks of a criterion and the criteria of a dimension become one number. */
  combine: 'min' | 'mean';
  /** So many patterns of generated design fail the dimension altogether. */
  slop?: { dimension: string; capFrom: number; failFrom: number };
};

/** Everything that can be found wrong and counts by a rule instead of by opinion. */
export const findingIds = [
  'copy-mismatch',
  'slop',
  'broken-mobile',
  'dead-element',
  'accessibility',
  'brand',
  'stock-icons',
  'off-scale-spacing',
  'missing-alt',
] as const;
export type FindingId = (typeof findingIds)[number];

export const findingTitles: Readonly<Record<FindingId, string>> = {
  'copy-mismatch': 'copy differs from the contracted copy',
  slop: 'generated look: purple gradient with generic white cards',
  'broken-mobile': 'broken at 375 px',
  'dead-element': 'interactive elements that do nothing',
  accessibility: 'accessibility score below 80',
  brand: 'not the brand',
  'stock-icons': 'stock icons',
  'off-scale-spacing': 'spacing outside the scale',
  'missing-alt': 'images without alt text',
};

const allMustPass: readonly FindingId[] = [
  'copy-mismatch',
  'slop',
  'broken-mobile',
  'dead-element',
  'accessibility',
  'brand',
];

const loopDimensions: readonly Dimension[] = [
  {
    id: 'design-quality',
    title: 'Design Quality',
    weight: 0.3,
    target: 0.75,
    about: 'Hierarchy, type, colour, spacing and rhythm follow one system, that of the project.',
    anchors: {
      '0.25': 'no system: sizes, colours and distances are accidental',
      '0.50': 'a system is recognisable and broken in several places',
      '0.75': 'one system throughout, with few slips',
      '1.00': 'one system throughout; every detail has a reason',
    },
  },
  {
    id: 'originality',
    title: 'Originality',
    weight: 0.25,
    target: 0.7,
    about: 'It could only be for this product; it uses what research found and avoids what everybody has.',
    anchors: {
      '0.25': 'a template with the name changed',
      '0.50': 'a template with some original choices',
      '0.75': 'choices that come from this product and its audience',
      '1.00': 'one original idea carries the whole',
    },
  },
  {
    id: 'completeness',
    title: 'Completeness',
    weight: 0.25,
    target: 0.8,
    about: 'Every frame, state and word that the brief asks for exists.',
    anchors: {
      '0.25': 'most of it is missing or a placeholder',
      '0.50': 'the main parts exist, states or texts are missing',
      '0.75': 'everything requested exists, with small gaps',
      '1.00': 'everything requested exists, edge states included',
    },
  },
  {
    id: 'functionality',
    title: 'Functionality',
    weight: 0.2,
    target: 0.75,
    about: 'It works: with a finger and a keyboard, small and wide, for everybody.',
    anchors: {
      '0.25': 'main actions do not work',
      '0.50': 'main actions work in one way of using it',
      '0.75': 'works in all common ways, small faults',
      '1.00': 'works in every way that was tried',
    },
  },
];

const loopCaps: readonly Cap[] = [
  { finding: 'stock-icons', dimension: 'originality', at: 0.5 },
  { finding: 'off-scale-spacing', dimension: 'design-quality', at: 0.5 },
  { finding: 'missing-alt', dimension: 'functionality', at: 0.5 },
  { finding: 'copy-mismatch', dimension: 'completeness', at: 0.5 },
];

function general(id: string, title: string, weight: number, about: string): Dimension {
  return {
    id,
    title,
    weight,
    target: 0.75,
    about,
    anchors: {
      '0.25': 'mostly not so',
      '0.50': 'so in part',
      '0.75': 'so, with small faults',
      '1.00': 'so throughout',
    },
  };
}

const generalDimensions: readonly Dimension[] = [
  general('functionality', 'Functionality', 0.4, 'It does what the brief asks.'),
  general('security', 'Security', 0.25, 'It cannot be misused: input, output and access are guarded.'),
  general('craft', 'Craft', 0.2, 'It is well made: clear, small, tested.'),
  general('consistency', 'Consistency', 0.15, 'It fits the rest of the project.'),
];

export const profiles: Readonly<Record<string, Profile>> = {
  design: {
    name: 'design',
    dimensions: loopDimensions,
    caps: loopCaps,
    mustPass: allMustPass,
    mustPassDimensions: [],
    combine: 'min',
  },
  frontend: {
    name: 'frontend',
    dimensions: [
      general('originality', 'Originality', 0.4, 'It could only be for this product.'),
      general('design-quality', 'Design Quality', 0.3, 'One system throughout.'),
      general('functionality', 'Craft & Functionality', 0.3, 'It is well made and works.'),
    ],
    caps: loopCaps.filter(({ dimension }) => dimension !== 'completeness'),
    mustPass: allMustPass.filter((finding) => finding !== 'slop'),
    mustPassDimensions: [],
    combine: 'min',
    slop: { dimension: 'originality', capFrom: 1, failFrom: 3 },
  },
  default: {
    name: 'default',
    dimensions: generalDimensions,
    caps: [],
    mustPass: ['broken-mobile', 'dead-element', 'accessibility'],
    mustPassDimensions: ['functionality', 'security'],
    combine: 'min',
  },
  strict: {
    name: 'strict',
    dimensions: generalDimensions,
    caps: [],
    mustPass: allMustPass,
    mustPassDimensions: generalDimensions.map(({ id }) => id),
    combine: 'min',
  },
  lenient: {
    name: 'lenient',
    dimensions: generalDimensions,
    caps: [],
    mustPass: ['dead-element'],
    mustPassDimensions: ['security'],
    combine: 'mean',
  },
};
