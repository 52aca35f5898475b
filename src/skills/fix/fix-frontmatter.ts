import { type Document, lineText } from '../document/document.ts';
import { describe } from '../generate/skill-markdown.ts';
import { type FrontmatterField, fieldText, needsQuotes } from '../model/frontmatter.ts';
import type { SkillPackage } from '../model/package.ts';
import { applyLineEdits, type LineEdit } from './lines.ts';

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
  if (skill === undefined || field === undefined || Array.isArray(field.value)) return undefined;
  const clean = [...new Set(tools.map((tool) => tool.replace(/\(\*\)$/, '')))];
  return applyLineEdits(skill.document, [
    replaceField(field, `allowed-tools: ${yamlText(clean.join(', '))}`),
  ]);
}

/** FM005: the colon form of the name becomes the trigger. */
export function addTrigger({ skill, name, description, triggers }: SkillPackage): string | undefined {
  const field = skill?.frontmatter.fields.get('description');
  if (skill === undefined || field === undefined || triggers.length > 0 || name === '') return undefined;
  if (/^[|>]/.test(lineText(skill.document, field.line).replace(/^description:\s*/, ''))) return undefined;
  const value = describe({ description, triggers: [name.replace('-', ':')] });
  return applyLineEdits(skill.document, [replaceField(field, `description: ${yamlText(value)}`)]);
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
      notes.push(`${key === 'examples' ? 'Examples' : 'Arguments'}: \`${text.replaceAll('`', "'")}\``);
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

/** The items of a list as somebody wrote them: YAML makes a map of `/plan "a: b"`. Undefined when it is no list of lines. */
function listAsWritten(document: Document, { line, endLine }: FrontmatterField): string | undefined {
  const items: string[] = [];
  for (let at = line + 1; at < endLine; at += 1) {
    const text = lineText(document, at).trim();
    if (text === '') continue;
    if (!text.startsWith('- ')) return undefined;
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
  return needsQuotes(value) || /^["']/.test(value) ? JSON.stringify(value) : value;
}
