import type { Document } from '../../base/markdown/document.ts';
import { parseDocument } from '../../base/markdown/parse.ts';
import { reportFile } from '../convert/fidelity.ts';
import { type CompactMarks, readCompactMarks } from './compact.ts';
import { type DataFlow, readDataFlow } from './data-flow.ts';
import { type Frontmatter, fieldText, readFrontmatter } from './frontmatter.ts';
import { detectProfile, ownNames, type Profile, readTools, readTriggers } from './identity.ts';
import { type PhaseFile, readPhaseFile } from './phase-file.ts';
import { type PhaseTable, type RoutingTable, readPhaseTable, readRoutingTable } from './phase-table.ts';
import { type Reference, readReferences } from './references.ts';

/** A package as it lies on disk: texts of its Markdown files and the paths of everything in it. */
export type PackageFiles = {
  /** Where it is, for people. */
  path: string;
  /** Name of its directory. */
  directory: string;
  /** Markdown and plan texts by path inside the package. */
  texts: ReadonlyMap<string, string>;
  /** Every file and folder inside the package. */
  listing: ReadonlySet<string>;
  /** Files that could not be read, or not in full, and why. */
  unreadable: readonly { path: string; message: string }[];
};

/** Whether rules look into a file of a package; of all others they know the name. */
export function isPackageText(path: string): boolean {
  return (
    path === 'SKILL.md' ||
    /^phases\/[^/]+\.md$/.test(path) ||
    path === 'plan.json' ||
    path === reportFile ||
    /^\.task\/[^/]+\.json$/.test(path)
  );
}

/** Texts that could not be read: a fix would lose a part of them, or treat them as missing. */
export function unreadTexts({ unreadable }: PackageFiles): PackageFiles['unreadable'] {
  return unreadable.filter(({ path }) => path === '.' || path === 'phases' || isPackageText(path));
}

export type SkillDocument = {
  document: Document;
  frontmatter: Frontmatter;
  compact: CompactMarks;
  phaseTable: PhaseTable | undefined;
  routing: RoutingTable | undefined;
  flow: DataFlow;
};

/** S-101: everything rules and commands know of a package, rebuilt from its files alone. */
export type SkillPackage = {
  files: PackageFiles;
  name: string;
  description: string;
  triggers: readonly string[];
  tools: readonly string[];
  ownNames: readonly string[];
  profile: Profile;
  skill: SkillDocument | undefined;
  phases: readonly PhaseFile[];
  /** SKILL.md first, then phases in file order. */
  documents: readonly Document[];
  references: readonly Reference[];
};

/** Builds the model; never throws on any text. */
export function buildPackage(files: PackageFiles, wanted?: Profile): SkillPackage {
  const text = files.texts.get('SKILL.md');
  const document = text === undefined ? undefined : parseDocument('SKILL.md', text);
  const phases = [...files.texts.keys()]
    .filter((path) => /^phases\/[^/]+\.md$/.test(path))
    .sort(byNumber)
    .map((path) => readPhaseFile(parseDocument(path, files.texts.get(path) ?? '')));
  const skill = document === undefined ? undefined : readSkillDocument(document);
  const name = (skill === undefined ? undefined : fieldText(skill.frontmatter, 'name')) ?? '';
  const description = (skill === undefined ? undefined : fieldText(skill.frontmatter, 'description')) ?? '';
  const triggers = readTriggers(description);
  const documents = [...(document === undefined ? [] : [document]), ...phases.map((phase) => phase.document)];
  return {
    files,
    name,
    description,
    triggers,
    tools: skill === undefined ? [] : readTools(skill.frontmatter),
    ownNames: ownNames(name === '' ? files.directory : name, triggers),
    profile: wanted ?? detectProfile(document, phases),
    skill,
    phases,
    documents,
    references: documents.flatMap(readReferences),
  };
}

function readSkillDocument(document: Document): SkillDocument {
  return {
    document,
    frontmatter: readFrontmatter(document),
    compact: readCompactMarks(document),
    phaseTable: readPhaseTable(document),
    routing: readRoutingTable(document),
    flow: readDataFlow(document),
  };
}

function byNumber(a: string, b: string): number {
  const [left, right] = [Number.parseFloat(a.slice(7)), Number.parseFloat(b.slice(7))];
  if (Number.isNaN(left) || Number.isNaN(right) || left === right) return a < b ? -1 : 1;
  return left - right;
}
