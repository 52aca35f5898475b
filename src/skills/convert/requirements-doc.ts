import { CharretteError } from '../../base/errors.ts';
import { type Document, type Heading, linesText, lineText, zoneAt } from '../../base/markdown/document.ts';
import { parseDocument } from '../../base/markdown/parse.ts';
import { isRecord, type JsonValue } from '../../base/safe-json.ts';
import { slugify } from '../../base/text/strings.ts';
import { checkPhaseCount, oneLine, type RoughConfig, type RoughPhase } from '../config/complete-config.ts';
import { readNames } from '../model/data-flow.ts';
import { readCoordinator } from './sections.ts';
import { closeFence } from './source-part.ts';

type Inputs = { phase: RoughPhase; inputs: string[] };

const field =
  /^\s*[-*]\s*\**(agents?|inputs?|outputs?|condition|tasks?|sub-?tasks|hands? ?over to|handoff)\**\s*[:：]\s*(.+)$/i;

/**
 * S-027: a requirements document in Markdown. One `##` section a phase; its first paragraph is the description; lines
 * `- Agents:`, `- Inputs:`, `- Outputs:`, `- Condition:`, `- Tasks:`, `- Hands over to:` are fields; all other text is
 * kept verbatim.
 */
export function readRequirementsMarkdown(text: string, fallbackName: string): RoughConfig {
  const document = parseDocument('requirements.md', text);
  const title = document.headings.find(({ level }) => level === 1);
  const sections = document.headings.filter(({ level }) => level === 2);
  if (sections.length === 0) {
    throw new CharretteError({
      code: 'usage',
      message: 'The requirements document has no ## section, so it names no phase.',
      fix: 'Write one ## section a phase; docs/how-to/skills.md shows the form.',
    });
  }
  checkPhaseCount(sections.length);
  const head = linesText(document, title === undefined ? 0 : title.line + 1, sections[0]?.line ?? 0);
  const triggers = /^[ \t]*(?:[-*][ \t]*)?triggers?[ \t]*[:：][ \t]*(\S.*)$/im.exec(head)?.[1];
  const name = /^[ \t]*(?:[-*][ \t]*)?name[ \t]*[:：][ \t]*([a-z0-9-]+)[ \t]*$/im.exec(head)?.[1];
  const intro = paragraphsOf(withoutHeadFields(head))[0] ?? '';
  const about = readCoordinator(document, sections);
  const introduction = withoutHeadFields([about.introduction, ...about.rest].join('\n\n'))
    .replace(intro, '')
    .trim();
  const read = sections.map((section) => readSection(document, section));
  return {
    skillName: name ?? slugify(title?.title ?? fallbackName, 64, fallbackName),
    ...(title === undefined ? {} : { title: title.title }),
    ...(intro === '' ? {} : { description: collapsed(intro) }),
    ...(introduction === '' ? {} : { introduction: closeFence(introduction) }),
    triggers: triggers === undefined ? [] : list(triggers.replaceAll(/["“”]/g, '')),
    source: { type: 'requirements_doc', subCommandPaths: [] },
    phases: read.map(({ phase }) => phase),
    dataFlow: edgesOf(read),
  };
}

const collapsed = (text: string) => text.replace(/\s+/g, ' ').trim();

function paragraphsOf(text: string): string[] {
  const paragraphs = text.split(/\n[ \t\r]*\n/).map((paragraph) => paragraph.trim());
  return paragraphs.filter((paragraph) => paragraph !== '');
}

function withoutHeadFields(text: string): string {
  return text.replace(/^[ \t]*(?:[-*][ \t]*)?(?:triggers?|name)[ \t]*[:：].*$/gim, '');
}

/** S-064: all other text is kept verbatim. */
function readSection(document: Document, { title, line: start, endLine }: Heading): Inputs {
  const read: Inputs = {
    phase: {
      name: title.replace(/^(?:phase\s+)?\d+(?:\.\d+)?\s*[:.)—–-]\s*/i, '').trim() || title,
      description: '',
    },
    inputs: [],
  };
  const seen = new Set<string>();
  let text = '';
  for (let line = start + 1; line < endLine; line += 1) {
    const isCode = zoneAt(document, document.lineStarts[line] ?? 0) === 'fence';
    const [, word = '', value = ''] = isCode ? [] : (field.exec(lineText(document, line)) ?? []);
    const key = word.toLowerCase().replace(/^sub-?|s$/g, '');
    if (key !== '' && !seen.has(key) && setField(read, key, value.trim())) seen.add(key);
    else text += linesText(document, line, line + 1);
  }
  const [first = ''] = paragraphsOf(text);
  const description = /^[-*#>|`]/.test(first) ? '' : collapsed(first);
  read.phase.description = description;
  // A description is one plain line; longer text is kept as details.
  if (text.trim() !== '' && (collapsed(text) !== description || oneLine(description) !== description))
    read.phase.details = closeFence(text.trim());
  return read;
}

/** Sets what a line says; false when it says more, or something else, than a field can hold. */
function setField(read: Inputs, key: string, value: string): boolean {
  const { phase } = read;
  const names = readNames(value);
  if (key.startsWith('agent')) phase.agentTypes = /^none$/i.test(value) ? [] : list(value);
  else if (key.startsWith('output')) {
    phase.outputVariables = names.filter(({ kind }) => kind === 'variable').map(({ name }) => name);
    phase.outputFiles = names.filter(({ kind }) => kind === 'file').map(({ name }) => name);
    return namesAll(value, names);
  } else if (key.startsWith('input')) {
    read.inputs = names.map(({ name }) => name);
    return namesAll(value, names);
  } else if (key === 'condition') phase.condition = value.replaceAll('`', '');
  else if (key.includes('task')) phase.todoWriteSubTasks = list(value);
  else {
    const number = /\d+/.exec(value)?.[0];
    if (number === undefined) return false;
    phase.handsOverTo = Number(number);
  }
  return true;
}

function namesAll(value: string, names: readonly { name: string }[]): boolean {
  const left = names.reduce((text, { name }) => text.replace(name, ''), value);
  return !/[\p{L}\p{N}]/u.test(left.replace(/\band\b/g, ''));
}

function list(value: string): string[] {
  return value
    .split(/[,;]/)
    .map((item) => item.replaceAll('`', '').trim())
    .filter((item) => item !== '');
}

/** An input comes from the nearest earlier phase that produces it, else from the user. */
function edgesOf(read: readonly Inputs[]): { from: string; to: string; variables: string[] }[] {
  const edges = new Map<string, { from: string; to: string; variables: string[] }>();
  read.forEach(({ inputs }, index) => {
    for (const name of inputs) {
      const producer = read
        .slice(0, index)
        .findLastIndex(({ phase }) =>
          [...(phase.outputVariables ?? []), ...(phase.outputFiles ?? [])].includes(name),
        );
      const [from, to] = [producer < 0 ? 'input' : `phase${producer + 1}`, `phase${index + 1}`];
      const edge = edges.get(`${from} ${to}`) ?? { from, to, variables: [] };
      edge.variables.push(name);
      edges.set(`${from} ${to}`, edge);
    }
  });
  return [...edges.values()];
}

/** S-027: the same as JSON, `{name, description, triggers, phases: [{name, description, agents, inputs, outputs, condition, tasks}]}`. */
export function readRequirementsJson(value: JsonValue, fallbackName: string): RoughConfig {
  if (!isRecord(value) || !Array.isArray(value['phases'])) {
    throw new CharretteError({
      code: 'usage',
      message: 'The JSON has no list "phases".',
      fix: 'Run `charrette skill explain requirements` for the form.',
    });
  }
  checkPhaseCount(value['phases'].length);
  const text = (key: string) => (typeof value[key] === 'string' ? (value[key] as string) : undefined);
  const read = value['phases'].map((item, index): Inputs => {
    const entry = isRecord(item) ? item : { name: String(item) };
    const phase: RoughPhase = {
      ...entry,
      name: String(entry['name'] ?? `Phase ${index + 1}`),
      description: String(entry['description'] ?? ''),
    };
    const made: Inputs = { phase, inputs: [] };
    for (const key of ['agents', 'inputs', 'outputs', 'condition', 'tasks', 'handoff']) {
      const given = entry[key];
      if (given === undefined) continue;
      setField(made, key, Array.isArray(given) ? given.map(String).join(', ') : String(given));
      delete (phase as Record<string, unknown>)[key];
    }
    return made;
  });
  const title = text('title');
  const description = text('description');
  return {
    ...value,
    skillName: text('skillName') ?? text('name') ?? fallbackName,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    triggers: Array.isArray(value['triggers']) ? value['triggers'].map(String) : [],
    source: { type: 'requirements_doc', subCommandPaths: [] },
    phases: read.map(({ phase }) => phase),
    dataFlow: edgesOf(read),
  };
}

const texts = { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] };

/** JSON Schema of a requirements document in JSON. */
export const requirementsJsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Requirements of a workflow skill',
  type: 'object',
  required: ['phases'],
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' },
    title: { type: 'string' },
    description: { type: 'string' },
    introduction: { type: 'string' },
    triggers: { type: 'array', items: { type: 'string' } },
    phases: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string' },
          description: { type: 'string' },
          details: { type: 'string' },
          agents: texts,
          inputs: texts,
          outputs: texts,
          condition: { type: 'string' },
          tasks: texts,
          handoff: { type: ['string', 'integer'] },
        },
      },
    },
  },
} as const;
