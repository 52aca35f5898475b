import { lineText } from '../document/document.ts';
import { describe } from '../generate/skill-markdown.ts';
import { fieldText, needsQuotes } from '../model/frontmatter.ts';
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
    let to = field.line + 1;
    while (/^(?:\s+\S|- )/.test(lineText(document, to)) && lineText(document, to) !== '---') to += 1;
    edits.push({ from: field.line, to, insert: [] });
    const text = fieldText(frontmatter, key) ?? '';
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

/** With all lines of its value: what is left of it would belong to the new one. */
function replaceField({ line, endLine }: { line: number; endLine: number }, text: string): LineEdit {
  return { from: line, to: endLine, insert: [text] };
}

function yamlText(value: string): string {
  return needsQuotes(value) || /^["']/.test(value) ? JSON.stringify(value) : value;
}
