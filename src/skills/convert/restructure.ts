import { CharretteError } from '../../base/errors.ts';
import { type Document, lineAt, linesText } from '../../base/markdown/document.ts';
import { parseDocument } from '../../base/markdown/parse.ts';
import { checkPhaseCount, type RoughConfig, type RoughPhase, titleOf } from '../config/complete-config.ts';
import { type Frontmatter, type FrontmatterField, fieldText, readFrontmatter } from '../model/frontmatter.ts';
import { readTools, readTriggers } from '../model/identity.ts';
import { commandKeys } from '../rules/frontmatter.ts';
import { convertTools } from './command-set.ts';
import type { PhaseSource } from './extract-phase.ts';
import { type Coordinator, readCoordinator, sectionFor } from './sections.ts';
import { droppedFields, frontmatterRemoved, processBlocks, titleRemoved } from './source-part.ts';
import {
  flowLinesOf,
  groupPhases,
  type PhaseGroup,
  runConditionOf,
  sectionsOf,
  splitNote,
} from './source-phases.ts';

export type FlatSkill = {
  config: RoughConfig;
  sources: PhaseSource[][];
  coordinator: Coordinator;
  /** The skill as it was read. */
  texts: string[];
  diagnostics: string[];
};

const phaseTitle =
  /^(?:[^\p{L}\p{N}]*)(?:\d+(?:\.\d+)*[.)]?\s+)?(?:[A-Z]{1,4}-)?(?:phase|stage|step)\s+(\d+(?:\.\d+)?[a-z]?)\s*[:：.)—–-]\s*(.+)$/iu;

/** Mode D, S-028: a flat skill is split at its phase headings; text is moved, not rewritten. */
export function readFlatSkill(text: string, directory: string): FlatSkill {
  const document = parseDocument('SKILL.md', text);
  const frontmatter = readFrontmatter(document);
  const diagnostics =
    frontmatter.problem === undefined
      ? []
      : [`The frontmatter is not valid YAML (${frontmatter.problem.message}); it was read line by line.`];
  // What YAML refuses cannot be told apart by its lines.
  const further = frontmatter.problem === undefined ? furtherFields(frontmatter) : [];
  diagnostics.push(...droppedFields(frontmatter, [...writtenAnew, ...further.map(({ key }) => key)]));
  const asWritten = ({ line, endLine }: FrontmatterField) =>
    linesText(document, line, endLine).replaceAll('\r\n', '\n').trimEnd();
  const groups = splitPhases(document);
  const headings = groups.flatMap((group) => group.headings);
  const blocks = groups.length === 0 ? processBlocks(text) : [];
  checkPhaseCount(blocks.length);
  if (groups.length === 0 && blocks.length === 0) {
    throw new CharretteError({
      code: 'usage',
      message: 'The skill has no phase headings ("## Phase 1: …") and no <process> blocks to split at.',
      fix: 'Mark the phases with headings, or describe the workflow and use `charrette skill new`.',
    });
  }
  const name = fieldText(frontmatter, 'name')?.trim() || directory;
  const description = fieldText(frontmatter, 'description') ?? `Runs the ${titleOf(name)} workflow`;
  const flow = flowLinesOf(document);
  const named = groups.map((group) => ({ ...group, ...splitNote(group.name.trim()) }));
  const phases = named.map(({ number, name: title, note, main }): RoughPhase => {
    const body = linesText(document, main.line + 1, main.endLine);
    const condition = runConditionOf(flow.get(number) ?? [], note, body, new Set());
    return { name: title, sourcePath: 'SKILL.md', sourceNumber: number, ...condition };
  });
  const sources = named.map((group) =>
    sectionsOf(document, group, 'SKILL.md', group.note, false).map((source) => ({
      ...source,
      label: source.section ?? 'SKILL.md',
    })),
  );
  blocks.forEach(({ body }, index) => {
    phases.push({ name: `Process ${index + 1}`, sourcePath: 'SKILL.md' });
    sources.push([
      { path: 'SKILL.md', body, label: `process ${index + 1}`, section: '<process>', nth: index },
    ]);
  });
  const title = document.headings.find(({ level }) => level === 1)?.title;
  const parts = blocks.map(({ start, end }) => ({
    line: lineAt(document, start),
    endLine: lineAt(document, end) + 1,
  }));
  const coordinator = readCoordinator(document, [...headings, ...parts]);
  const marks = [
    ...headings.map(({ line }) => line),
    ...parts.flatMap(({ line, endLine }) => [line, endLine - 1]),
  ];
  coordinator.edits.push(...marks.map((line) => titleRemoved(document, line)), ...frontmatterRemoved(text));
  return {
    config: {
      skillName: name,
      ...(title === undefined ? {} : { title }),
      description,
      triggers: readTriggers(description),
      allowedTools: convertTools(readTools(frontmatter), diagnostics),
      ...(further.length === 0 ? {} : { frontmatter: further.map(asWritten).join('\n') }),
      source: { type: 'existing_skill', orchestratorPath: 'SKILL.md', subCommandPaths: [] },
      phases,
    },
    sources,
    coordinator,
    texts: [text],
    diagnostics,
  };
}

const writtenAnew = ['name', 'description', 'allowed-tools'];

/** Fields such as license and metadata stay with a skill; those of commands have no place in it. */
function furtherFields({ fields }: Frontmatter): FrontmatterField[] {
  return [...fields.values()].filter(({ key }) => ![...writtenAnew, ...commandKeys].includes(key));
}

/** Phase headings, each phase once; plain steps count only when nothing is called a phase. Preferences never become a phase. */
function splitPhases(document: Document): PhaseGroup[] {
  const named = document.headings.filter(
    ({ title, level, line, endLine }) =>
      level > 1 && phaseTitle.test(title) && !collectsPreferences(title, linesText(document, line, endLine)),
  );
  const phases = named.filter(({ title }) =>
    /phase|stage/i.test(phaseTitle.exec(title)?.[0].slice(0, 24) ?? ''),
  );
  const groups = groupPhases(document, phases.length >= 2 ? phases : named, (title) => {
    const [, number = '', name = title] = phaseTitle.exec(title) ?? [];
    return { number, name };
  });
  return groups.length >= 2 ? groups : [];
}

/** P6: preferences are collected in SKILL.md, before the first phase. */
function collectsPreferences(title: string, body: string): boolean {
  return (
    sectionFor(title) === 'Interactive Preference Collection' ||
    (/\bworkflowPreferences\s*=\s*\{/.test(body) && /AskUserQuestion\(/.test(body))
  );
}
