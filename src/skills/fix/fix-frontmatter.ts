import { type Document, lineText } from '../../base/markdown/document.ts';
import { describe } from '../generate/skill-markdown.ts';
import { type FrontmatterField, fieldText, needsQuotes } from '../model/frontmatter.ts';
import type { SkillDocument, SkillPackage } from '../model/package.ts';
import { applyLineEdits, type LineEdit } from './fix-sections.ts';

/** FM010: values that YAML misreads get quotes. */
export function quoteValues({ skill }: SkillPackage): string | undefined {
  if (skill === undefined) return undefined;
  const edits = skill.frontmatter.unquoted.map((field) =>
    replaceField(field, `${field.key}: ${JSON.stringify(field.raw)}`),
  );
  return applyLineEdits(skill.document, edits);
}

/** FM007: `Name(*)` becomes `Name`, doubles go. */
export function cleanTools({ skill, tools }: SkillPackage): string | undefined {
  const field = skill?.frontmatter.fields.get('allowed-tools');
  if (skill === undefined || field === undefined) return undefined;
  const { document } = skill;
  if (Array.isArray(field.value) && !lineText(document, field.line).includes('['))
    return applyLineEdits(document, cleanItems(document, field));
  const clean = [...new Set(tools.map(withoutWildcard))];
  if (Array.isArray(field.value))
    return applyLineEdits(document, [
      replaceField(field, `allowed-tools: [${clean.map(asItem).join(', ')}]`),
    ]);
  return applyLineEdits(skill.document, [
    replaceField(field, `allowed-tools: ${yamlText(clean.join(', '))}`),
  ]);
}

const asItem = (tool: string) => (/^[A-Za-z][\w-]*$/.test(tool) ? tool : JSON.stringify(tool));
const withoutWildcard = (tool: string) => tool.replace(/\(\*\)$/, '');

/** The lines of a list that change; a line that is not a plain item is kept. */
function cleanItems(document: Document, { line, endLine }: FrontmatterField): LineEdit[] {
  const edits: LineEdit[] = [];
  const seen = new Set<string>();
  for (let at = line + 1; at < endLine; at += 1) {
    const [, dash = '', quote = '', tool = '', rest = ''] =
      /^(\s*- +)(["']?)([^\s"'#]+(?:\([^"'#]*\))?)\2(\s*(?:#.*)?)$/.exec(lineText(document, at)) ?? [];
    const clean = withoutWildcard(tool);
    if (clean !== '' && (clean !== tool || seen.has(clean)))
      edits.push({
        from: at,
        to: at + 1,
        insert: seen.has(clean) ? [] : [`${dash}${quote}${clean}${quote}${rest}`],
      });
    seen.add(clean);
  }
  return edits;
}

/** FM005: the colon form of the name becomes the trigger. */
export function addTrigger({ skill, name, description, triggers }: SkillPackage): string | undefined {
  const field = skill?.frontmatter.fields.get('description');
  if (skill === undefined || field === undefined || triggers.length > 0 || name === '') return undefined;
  if (/^[|>]/.test(lineText(skill.document, field.line).replace(/^description:\s*/, ''))) return undefined;
  const value = describe({ description, triggers: [name.replace('-', ':')] });
  return applyLineEdits(skill.document, [replaceField(field, `description: ${yamlText(value)}`)]);
}

/** FM003: another name; nothing when there is none to replace. */
export function setName({ document, frontmatter }: SkillDocument, name: string): string | undefined {
  const field = frontmatter.fields.get('name');
  return field === undefined ? undefined : applyLineEdits(document, [replaceField(field, `name: ${name}`)]);
}

/** FM009, S-042: the hint becomes text under Input Processing, the keys go. */
export function dropCommandKeys({ skill }: SkillPackage): string | undefined {
  if (skill === undefined) return undefined;
  const { document, frontmatter } = skill;
  const edits: LineEdit[] = [];
  const notes: string[] = [];
  for (const key of ['argument-hint', 'examples', 'group']) {
    const field = frontmatter.fields.get(key);
    if (field === undefined) continue;
    edits.push({ from: field.line, to: field.endLine, insert: [] });
    const text = listAsWritten(document, field) ?? fieldText(frontmatter, key) ?? '';
    if (key !== 'group' && text !== '')
      notes.push(...asWritten(key === 'examples' ? 'Examples' : 'Arguments', text.trim()));
  }
  if (notes.length > 0) {
    const heading = document.headings.find(({ title }) => /^input processing$/i.test(title));
    const at = heading === undefined ? document.lineStarts.length : heading.line + 1;
    edits.push({
      from: at,
      to: at,
      insert: heading === undefined ? ['', '## Input Processing', '', ...notes] : ['', ...notes],
    });
  }
  return applyLineEdits(document, edits);
}

/** In a line, or in a fence when a line cannot hold it. */
function asWritten(label: string, text: string): string[] {
  if (!/[`\n]/.test(text)) return [`${label}: \`${text}\``];
  return [`${label}:`, '', '~~~text', ...text.split(/\r?\n/), '~~~'];
}

/** The items of a list as written: YAML makes a map of `/plan "a: b"`. Undefined unless each item is one line. */
function listAsWritten(document: Document, { line, endLine }: FrontmatterField): string | undefined {
  const items: string[] = [];
  for (let at = line + 1; at < endLine; at += 1) {
    const text = lineText(document, at).trim();
    if (text === '') continue;
    if (!text.startsWith('- ') || /^- *[|>]/.test(text)) return undefined;
    items.push(
      text
        .slice(2)
        .trim()
        .replace(/^(["'])(.*)\1$/, '$2'),
    );
  }
  return items.length === 0 ? undefined : items.join(', ');
}

/** With all lines of its value: what is left of it would belong to the new one. */
function replaceField({ line, endLine }: { line: number; endLine: number }, text: string): LineEdit {
  return { from: line, to: endLine, insert: [text] };
}

function yamlText(value: string): string {
  return needsQuotes(value) || /^["']|\n/.test(value) ? JSON.stringify(value) : value;
}
