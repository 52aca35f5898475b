import { CharretteError } from '../../base/errors.ts';
import { parseDocument } from '../../base/markdown/parse.ts';
import { countCodePoints, joinTruncated } from '../../base/text/strings.ts';
import { completeConfig, type RoughConfig } from '../config/complete-config.ts';
import type { PhaseConfig, QuestionConfig, WorkflowConfig } from '../config/workflow-config.ts';
import { phasePath, type Tools } from '../generate/phase-markdown.ts';
import { generatePackage, renderSkill, type SectionOverrides } from '../generate/skill-markdown.ts';
import { maxDescription, ownNames } from '../model/identity.ts';
import { readPreferencePaths, readPreferenceUses } from '../model/preferences.ts';
import { type ExtractedPhase, extractPhase, type PhaseSource } from './extract-phase.ts';
import { blockHashes, type Edit, lostText, type Preserved, reportFile } from './fidelity.ts';
import { type SanitiseContext, sanitiseCoordinator } from './sanitise.ts';
import type { Coordinator } from './sections.ts';
import type { SourcePart } from './source-part.ts';

export type ConversionReport = {
  version: 1;
  skill: string;
  source: WorkflowConfig['source'];
  phases: {
    file: string;
    /** Where the text came from, relative to the package. */
    sources: SourcePart[];
    sha256: string;
    strategy: 'extract' | 'restructure';
    ratio: number;
    source: ExtractedPhase['fidelity']['source'];
    phase: ExtractedPhase['fidelity']['phase'];
    edits: ExtractedPhase['edits'];
  }[];
  /** What became of text that belongs to no phase. */
  coordinator: { edits: readonly Edit[] };
  /** Copied blocks; findings in an unedited one are inherited. */
  preserved: Preserved[];
  calls: { name: string; kind: string; line: number; phase: number | undefined }[];
  diagnostics: string[];
};

export type Conversion = {
  config: WorkflowConfig;
  files: Map<string, string>;
  report: ConversionReport | undefined;
  warnings: string[];
};

type ExtractionInput = {
  rough: RoughConfig;
  sources: readonly (readonly PhaseSource[])[];
  coordinator: Coordinator;
  /** All sources as they were read; each line of them must be somewhere in the package. */
  texts: readonly string[];
  strategy: 'extract' | 'restructure';
  phaseOf: ReadonlyMap<string, number>;
  calls?: ConversionReport['calls'];
  diagnostics: readonly string[];
  tools: Tools;
  /** Path of a source as the report names it. */
  reportPath: (source: string) => string;
};

/** Copies the text of sources into the package; a lost line without a recorded edit stops the conversion (S-070). */
export function convertByExtraction(input: ExtractionInput): Conversion {
  const draft = completeConfig(input.rough);
  const context = {
    ownNames: ownNames(draft.config.skillName, draft.config.triggers),
    phaseOf: pathOf(draft.config, input),
  };
  const { phases: planned, extracted } = extractGuarded(draft.config, input, context);
  const coordinator = cleanCoordinator(input.coordinator, context);
  addPostPhase(coordinator, planned, extracted);
  const flags = [...new Set([...extracted, coordinator].flatMap((part) => part.preferences))];
  const preferences = planPreferences(
    coordinator,
    extracted.map(({ text }) => text),
    flags,
  );
  const config: WorkflowConfig = {
    ...draft.config,
    phases: planned,
    features: {
      ...draft.config.features,
      hasAutoMode: preferences.hasAutoMode,
      hasMemoryCompaction: planned.some(({ guarded }) => guarded === true),
    },
    // S-066: what phases read must be asked.
    preferenceQuestions: [...draft.config.preferenceQuestions, ...preferences.questions],
    ...(coordinator.introduction === '' ? {} : { introduction: coordinator.introduction }),
  };
  const overrides = { ...coordinator.overrides, ...preferences.section };
  const skill = renderSkill(config, input.tools, overrides, coordinator.additions);
  const { rest } = coordinator;
  const files = new Map<string, string>([
    ['SKILL.md', rest.length === 0 ? skill : `${skill}\n${rest.join('\n\n')}\n`],
  ]);
  const orchestrator = input.reportPath(config.source.orchestratorPath ?? 'SKILL.md');
  const preserved: Preserved[] = [
    { file: 'SKILL.md', source: orchestrator, blocks: blockHashes(keptText(coordinator)) },
  ];
  const phases: ConversionReport['phases'] = [];
  const lost: string[] = [];
  config.phases.forEach((phase, index) => {
    const made = extracted[index];
    if (made === undefined) return;
    const file = phasePath(phase);
    files.set(file, index === 0 ? withPreferences(made.text, config) : made.text);
    for (const { path, text } of made.copied)
      preserved.push({ file, source: input.reportPath(path), blocks: blockHashes(text) });
    const { ratio, source, phase: measures, lostBlocks, lostLines } = made.fidelity;
    for (const block of lostBlocks)
      lost.push(`${file}: a ${block.kind} from line ${block.line + 1} of the source`);
    for (const line of lostLines) lost.push(`${file}: "${line.text.slice(0, 60)}"`);
    const sources = input.sources[index] ?? [];
    phases.push({
      file,
      sources: sources.map(({ path, section, nth }) => ({
        path: input.reportPath(path),
        ...(section === undefined ? {} : { section }),
        ...(nth === undefined ? {} : { nth }),
      })),
      sha256: made.sha256,
      strategy: input.strategy,
      ratio: Math.round(ratio * 1000) / 1000,
      source,
      phase: measures,
      edits: made.edits,
    });
  });
  if (lost.length === 0) {
    const edits = [...coordinator.edits, ...extracted.flatMap((phase) => phase.edits)];
    const { lostBlocks, lostLines } = lostText(input.texts, [...files.values()], edits);
    for (const { kind, text } of lostBlocks) lost.push(`a ${kind}: "${text.slice(0, 60)}"`);
    for (const { text } of lostLines) lost.push(`"${text.slice(0, 60)}"`);
  }
  if (lost.length > 0) {
    throw new CharretteError({
      code: 'conversion-lossy',
      message: `The conversion would lose text: ${joinTruncated(lost, 5, '; ')}.`,
      fix: 'Nothing was written. Simplify that part of the source and convert again.',
    });
  }
  const notes = [...extracted, coordinator].flatMap((part) => part.notes);
  if (countCodePoints(config.description) > maxDescription)
    notes.push(
      `The description is longer than ${maxDescription} characters; its first sentences stay, the whole text opens SKILL.md.`,
    );
  const report: ConversionReport = {
    version: 1,
    skill: config.skillName,
    source: config.source,
    phases,
    coordinator: { edits: coordinator.edits },
    preserved,
    calls: input.calls ?? [],
    diagnostics: [...input.diagnostics, ...notes],
  };
  files.set(reportFile, `${JSON.stringify(report, null, 2)}\n`);
  return { config, files, report, warnings: [...draft.warnings, ...input.diagnostics, ...notes] };
}

/** S-085: phases that others hand over to are guarded too; a phase without steps has nothing that a sentinel could count. */
function extractGuarded(
  config: WorkflowConfig,
  input: ExtractionInput,
  context: SanitiseContext,
): { phases: WorkflowConfig['phases']; extracted: ExtractedPhase[] } {
  const first = extractAll(config, input, context);
  const targets = new Set(
    first.flatMap(({ edits }, index) =>
      edits
        .filter(({ kind }) => kind === 'self-routing')
        .flatMap(({ after }) =>
          [...after.matchAll(/Read\("(phases\/[^"]+)"\)/g)].map((match) => match[1] ?? ''),
        )
        .filter((target) => target !== phasePath(config.phases[index] as PhaseConfig)),
    ),
  );
  const wanted = config.phases.map((phase) => ({
    ...phase,
    guarded: phase.guarded === true || targets.has(phasePath(phase)),
  }));
  const extracted = extractAll({ ...config, phases: wanted }, input, context);
  const phases = wanted.map((phase, index) => ({
    ...phase,
    guarded: phase.guarded && extracted[index]?.hasSteps === true,
  }));
  return { phases, extracted };
}

/** All text of a source outside its phases, as written to SKILL.md. */
function keptText({ introduction, overrides, additions, rest }: Coordinator): string {
  return [introduction, ...Object.values(overrides), ...Object.values(additions), ...rest].join('\n\n');
}

function addPostPhase(
  coordinator: CleanCoordinator,
  phases: WorkflowConfig['phases'],
  extracted: readonly ExtractedPhase[],
): void {
  const updates = phases.flatMap(({ number, name }, index) => {
    const text = extracted[index]?.postPhase ?? '';
    return text === '' ? [] : [`### After Phase ${number}: ${name}\n\n${text}`];
  });
  const known = coordinator.overrides['Post-Phase Updates'];
  const all = [...(known === undefined ? [] : [known]), ...updates];
  if (all.length > 0) coordinator.overrides['Post-Phase Updates'] = all.join('\n\n');
}

/** Path of the phase that a command became. */
function pathOf({ phases }: WorkflowConfig, { phaseOf }: ExtractionInput): SanitiseContext['phaseOf'] {
  return (command) => {
    const phase = phases.find(({ number }) => number === phaseOf.get(command));
    return phase === undefined ? undefined : phasePath(phase);
  };
}

function extractAll(
  { phases }: WorkflowConfig,
  { sources }: ExtractionInput,
  context: SanitiseContext,
): ExtractedPhase[] {
  return phases.map((phase, index) => {
    const next = phases[index + 1];
    const link =
      next === undefined
        ? undefined
        : { number: next.number, name: next.name, file: phasePath(next).slice('phases/'.length) };
    return extractPhase(phase, sources[index] ?? [], link, phasePath(phase), context);
  });
}

type CleanCoordinator = Coordinator & { preferences: string[]; notes: string[] };

/** Calls of commands that are phases now, and flags that are preferences now, in the text of the coordinator. */
function cleanCoordinator(found: Coordinator, context: SanitiseContext): CleanCoordinator {
  const made: CleanCoordinator = { ...found, edits: [...found.edits], preferences: [], notes: [] };
  const clean = (text: string) => {
    const { text: now, edits, preferences, notes } = sanitiseCoordinator(text, context);
    made.edits.push(...edits);
    made.preferences.push(...preferences);
    made.notes.push(...notes);
    return now;
  };
  made.introduction = clean(found.introduction);
  made.rest = found.rest.map(clean);
  const cleanAll = (sections: Coordinator['overrides']) =>
    Object.fromEntries(Object.entries(sections).map(([name, body]) => [name, clean(body)]));
  made.overrides = cleanAll(found.overrides);
  made.additions = cleanAll(found.additions);
  return made;
}

/** The first phase says that it honours the preferences, so that every question that is asked is also read (PR002). */
function withPreferences(text: string, config: WorkflowConfig): string {
  if (!config.features.hasAutoMode || /workflowPreferences\.autoYes/.test(text)) return text;
  return text.replace(
    /^## Objective\n\n/m,
    '## Objective\n\n- Take defaults instead of asking when `workflowPreferences.autoYes` is true.\n',
  );
}

/** Sources that are a description, not a text to keep: the package is generated. */
export function convertByGeneration(rough: RoughConfig, tools: Tools): Conversion {
  const { config, warnings } = completeConfig(rough);
  return { config, files: generatePackage(config, tools), report: undefined, warnings };
}

type PreferencePlan = {
  hasAutoMode: boolean;
  questions: QuestionConfig[];
  /** The section as the source has it, with the keys that it leaves open. */
  section: SectionOverrides;
};

const name = 'Interactive Preference Collection';

/**
 * S-016, S-066: every key that a phase reads is set in SKILL.md. Preferences that the source collects itself stay as they are;
 * keys that they leave open are set below them. Else questions are made.
 */
function planPreferences(
  { introduction, overrides, additions, rest }: Coordinator,
  phases: readonly string[],
  flags: readonly string[],
): PreferencePlan {
  const kept = [introduction, ...Object.values(overrides), ...Object.values(additions), ...rest].join('\n\n');
  const document = parseDocument('SKILL.md', kept);
  const paths = readPreferencePaths(document);
  const written = readPreferenceUses(document).writes.map(({ key }) => key);
  const read = phases.flatMap((text) =>
    readPreferenceUses(parseDocument('phase.md', text)).reads.map(({ key }) => key),
  );
  const wanted = [...new Set([...flags, ...read])];
  const own = overrides[name];
  if (paths.length + written.length === 0 && own === undefined)
    return {
      hasAutoMode: true,
      questions: wanted.filter((key) => key !== 'autoYes').map(questionFor),
      section: {},
    };
  const isSet = (key: string) =>
    written.includes(key) ||
    (paths.length > 0 && paths.every(({ keys, spreads }) => spreads || keys.includes(key)));
  const open = wanted.filter((key) => !isSet(key));
  const parts = [own ?? 'The text below says where `workflowPreferences` is set.', ...openKeys(open)];
  return { hasAutoMode: wanted.includes('autoYes'), questions: [], section: { [name]: parts.join('\n\n') } };
}

function openKeys(keys: readonly string[]): string[] {
  if (keys.length === 0) return [];
  const lines = keys.map((key) => `workflowPreferences.${key} = flags.${key} === true`);
  return [
    `Phases read these too; the flag of the same name sets each:\n\n\`\`\`javascript\n${lines.join('\n')}\n\`\`\``,
  ];
}

function questionFor(key: string): QuestionConfig {
  const words = key.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  const header = words.slice(0, 1).toUpperCase() + words.slice(1);
  return {
    key,
    question: `Switch on ${words}?`,
    header: header.length <= 12 ? header : header.slice(0, 12).trim(),
    options: [
      { label: 'No (Recommended)', description: `Without ${words}` },
      { label: 'Yes', description: `With ${words}` },
    ],
    activeValue: 'Yes',
  };
}
