import { CharretteError } from '../../errors.ts';
import { namedSome } from '../../text/named-some.ts';
import { completeConfig, type RoughConfig } from '../config/complete-config.ts';
import type { QuestionConfig, WorkflowConfig } from '../config/workflow-config.ts';
import { generatePackage } from '../generate/generate-package.ts';
import { phasePath, type Tools } from '../generate/phase-markdown.ts';
import { renderSkill } from '../generate/skill-markdown.ts';
import { ownNames } from '../model/identity.ts';
import { type ExtractedPhase, extractPhase, type PhaseSource } from './extract-phase.ts';
import { type Edit, lostText } from './fidelity.ts';
import { type SanitiseContext, sanitiseCoordinator } from './sanitise.ts';
import type { Coordinator } from './sections.ts';

export type ConversionReport = {
  version: 1;
  skill: string;
  source: WorkflowConfig['source'];
  phases: {
    file: string;
    /** Where the text came from, relative to the report. */
    sources: { path: string; section?: string }[];
    sha256: string;
    strategy: 'extract' | 'restructure';
    ratio: number;
    source: ExtractedPhase['fidelity']['source'];
    phase: ExtractedPhase['fidelity']['phase'];
    edits: ExtractedPhase['edits'];
  }[];
  /** What became of text that belongs to no phase. */
  coordinator: { edits: readonly Edit[] };
  calls: { name: string; kind: string; line: number; phase: number | undefined }[];
  diagnostics: string[];
};

export type Conversion = {
  config: WorkflowConfig;
  files: Map<string, string>;
  report: ConversionReport | undefined;
  warnings: string[];
};

export type ExtractionInput = {
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

/** Text of sources goes into the package as it is; whatever is lost that no edit explains stops the conversion (S-070). */
export function convertByExtraction(input: ExtractionInput): Conversion {
  const draft = completeConfig(input.rough);
  const context = {
    ownNames: ownNames(draft.config.skillName, draft.config.triggers),
    phaseOf: pathOf(draft.config, input),
  };
  const extracted = extractAll(draft.config, input, context);
  const coordinator = cleanCoordinator(input.coordinator, context);
  const preferences = [...new Set([...extracted, coordinator].flatMap((part) => part.preferences))];
  const questions = preferences.filter((key) => key !== 'autoYes').map(questionFor);
  const config: WorkflowConfig = {
    ...draft.config,
    features: { ...draft.config.features, hasAutoMode: true },
    // S-066: what phases read must be asked.
    preferenceQuestions: [...draft.config.preferenceQuestions, ...questions],
    ...(coordinator.introduction === '' ? {} : { introduction: coordinator.introduction }),
  };
  const skill = renderSkill(config, input.tools, coordinator.overrides);
  const { rest } = coordinator;
  const files = new Map<string, string>([
    ['SKILL.md', rest.length === 0 ? skill : `${skill}\n${rest.join('\n\n')}\n`],
  ]);
  const phases: ConversionReport['phases'] = [];
  const lost: string[] = [];
  config.phases.forEach((phase, index) => {
    const made = extracted[index];
    if (made === undefined) return;
    const file = phasePath(phase);
    files.set(file, index === 0 ? withPreferences(made.text, config) : made.text);
    const { ratio, source, phase: measures, lostBlocks, lostLines } = made.fidelity;
    for (const block of lostBlocks)
      lost.push(`${file}: a ${block.kind} from line ${block.line + 1} of the source`);
    for (const line of lostLines) lost.push(`${file}: "${line.text.slice(0, 60)}"`);
    const sources = input.sources[index] ?? [];
    phases.push({
      file,
      sources: sources.map(({ path, section }) => ({
        path: input.reportPath(path),
        ...(section === undefined ? {} : { section }),
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
      message: `The conversion would lose text: ${namedSome(lost, 5, '; ')}.`,
      fix: 'Nothing was written. Simplify that part of the source and convert again.',
    });
  }
  const notes = [...extracted, coordinator].flatMap((part) => part.notes);
  return {
    config,
    files,
    report: {
      version: 1,
      skill: config.skillName,
      source: config.source,
      phases,
      coordinator: { edits: coordinator.edits },
      calls: input.calls ?? [],
      diagnostics: [...input.diagnostics, ...notes],
    },
    warnings: [...draft.warnings, ...input.diagnostics, ...notes],
  };
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
  made.overrides = Object.fromEntries(
    Object.entries(found.overrides).map(([name, body]) => [name, clean(body)]),
  );
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

/** Sources that are a description, not a text to keep: the package is generated. */
export function convertByGeneration(rough: RoughConfig, tools: Tools): Conversion {
  const { config, warnings } = completeConfig(rough);
  return { config, files: generatePackage(config, tools), report: undefined, warnings };
}
