import { CharretteError } from '../../errors.ts';
import { checkPhaseCount, type RoughConfig, type RoughPhase, titleOf } from '../config/complete-config.ts';
import { type Heading, lineAt, linesText } from '../document/document.ts';
import { parseDocument } from '../document/parse.ts';
import { type Frontmatter, type FrontmatterField, fieldText, readFrontmatter } from '../model/frontmatter.ts';
import { readTools, readTriggers } from '../model/identity.ts';
import { commandKeys } from '../rules/frontmatter.ts';
import { convertTools } from './command-set.ts';
import type { PhaseSource } from './extract-phase.ts';
import { type Coordinator, readCoordinator } from './sections.ts';
import { droppedFields, frontmatterRemoved, titleRemoved } from './strip.ts';

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
  const headings = splitHeadings(document.headings);
  const blocks = headings.length === 0 ? processBlocks(text) : [];
  checkPhaseCount(headings.length + blocks.length);
  if (headings.length === 0 && blocks.length === 0) {
    throw new CharretteError({
      code: 'usage',
      message: 'The skill has no phase headings ("## Phase 1: …") and no <process> blocks to split at.',
      fix: 'Mark the phases with headings, or describe the workflow and use `charrette skill new`.',
    });
  }
  const name = fieldText(frontmatter, 'name')?.trim() || directory;
  const description = fieldText(frontmatter, 'description') ?? `Runs the ${titleOf(name)} workflow`;
  const phases = headings.map(
    (heading): RoughPhase => ({
      name: phaseTitle.exec(heading.title)?.[2]?.trim() ?? heading.title,
      sourcePath: 'SKILL.md',
    }),
  );
  const sources = headings.map((heading): PhaseSource[] => [
    {
      path: 'SKILL.md',
      body: linesText(document, heading.line + 1, heading.endLine),
      label: heading.title,
      section: heading.title,
    },
  ]);
  blocks.forEach(({ body }, index) => {
    phases.push({ name: `Process ${index + 1}`, sourcePath: 'SKILL.md' });
    sources.push([{ path: 'SKILL.md', body, label: `process ${index + 1}` }]);
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

/** Phase headings of the shallowest level; plain steps count only when nothing is called a phase. */
function splitHeadings(headings: readonly Heading[]): Heading[] {
  const named = headings.filter(({ title, level }) => level > 1 && phaseTitle.test(title));
  const phases = named.filter(({ title }) =>
    /phase|stage/i.test(phaseTitle.exec(title)?.[0].slice(0, 24) ?? ''),
  );
  const found = phases.length >= 2 ? phases : named;
  const level = found.reduce((least, heading) => Math.min(least, heading.level), 6);
  const top = found.filter((heading) => heading.level === level);
  return top.length >= 2 ? top : [];
}

type ProcessBlock = { body: string /** Offsets of the tags. */; start: number; end: number };

function processBlocks(text: string): ProcessBlock[] {
  const blocks: ProcessBlock[] = [];
  const opening = /^<process[^>\n]*>\n/gm;
  // A block that stays open ends the search: looking for an end from each opening would take for ever.
  for (let open = opening.exec(text); open !== null; open = opening.exec(text)) {
    const end = text.indexOf('\n</process>', opening.lastIndex - 1);
    if (end < 0) break;
    blocks.push({ body: text.slice(opening.lastIndex, end + 1), start: open.index, end: end + 1 });
    opening.lastIndex = end + '\n</process>'.length;
  }
  return blocks;
}
