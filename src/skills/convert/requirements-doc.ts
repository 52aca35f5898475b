import { CharretteError } from '../../errors.ts';
import { isRecord, type JsonValue } from '../../safe-json.ts';
import { slugify } from '../../text/slug.ts';
import { checkPhaseCount, type RoughConfig, type RoughPhase } from '../config/complete-config.ts';
import { linesText, lineText } from '../document/document.ts';
import { parseDocument } from '../document/parse.ts';
import { readNames } from '../model/data-flow.ts';

type Inputs = { phase: RoughPhase; inputs: string[] };

const field =
  /^\s*[-*]\s*\**(agents?|inputs?|outputs?|condition|tasks?|sub-?tasks|hands? ?over to|handoff)\**\s*[:：]\s*(.+)$/i;

/**
 * S-027: a requirements document in Markdown. One `##` section a phase; its first paragraph is the description; lines
 * `- Agents:`, `- Inputs:`, `- Outputs:`, `- Condition:`, `- Tasks:`, `- Hands over to:` say the rest.
 */
export function readRequirementsMarkdown(text: string, fallbackName: string): RoughConfig {
  const document = parseDocument('requirements.md', text);
  const title = document.headings.find(({ level }) => level === 1);
  const sections = document.headings.filter(({ level }) => level === 2);
  if (sections.length === 0) {
    throw new CharretteError({
      code: 'usage',
      message: 'The requirements document has no ## section, so it names no phase.',
      fix: 'Write one ## section a phase; docs/skills.md shows the form.',
    });
  }
  checkPhaseCount(sections.length);
  const head = linesText(document, title === undefined ? 0 : title.line + 1, sections[0]?.line ?? 0);
  const triggers = /^[ \t]*(?:[-*][ \t]*)?triggers?[ \t]*[:：][ \t]*(\S.*)$/im.exec(head)?.[1];
  const name = /^[ \t]*(?:[-*][ \t]*)?name[ \t]*[:：][ \t]*([a-z0-9-]+)[ \t]*$/im.exec(head)?.[1];
  const read = sections.map((section): Inputs => {
    const phase: RoughPhase = {
      name: section.title.replace(/^(?:phase\s+)?\d+(?:\.\d+)?\s*[:.)—–-]\s*/i, '').trim() || section.title,
      description: '',
    };
    let inputs: string[] = [];
    for (let line = section.line + 1; line < section.endLine; line += 1) {
      const found = field.exec(lineText(document, line));
      if (found !== null)
        inputs = setField(phase, inputs, (found[1] ?? '').toLowerCase(), (found[2] ?? '').trim());
    }
    const paragraph =
      linesText(document, section.line + 1, section.endLine)
        .trim()
        .split(/\n[ \t]*\n/)[0] ?? '';
    phase.description = /^\s*[-*#>|`]/.test(paragraph) ? '' : paragraph.replace(/\s+/g, ' ').trim();
    return { phase, inputs };
  });
  const intro =
    head
      .trim()
      .split(/\n[ \t]*\n/)
      .find(
        (paragraph) =>
          paragraph.trim() !== '' && !/^\s*(?:[-*]\s*)?(?:triggers?|name)\s*[:：]/i.test(paragraph),
      ) ?? '';
  return {
    skillName: name ?? slugify(title?.title ?? fallbackName, 64, fallbackName),
    ...(title === undefined ? {} : { title: title.title }),
    ...(intro.trim() === '' ? {} : { description: intro.replace(/\s+/g, ' ').trim() }),
    triggers: triggers === undefined ? [] : list(triggers.replaceAll(/["“”]/g, '')),
    source: { type: 'requirements_doc', subCommandPaths: [] },
    phases: read.map(({ phase }) => phase),
    dataFlow: edgesOf(read),
  };
}

function setField(phase: RoughPhase, inputs: string[], key: string, value: string): string[] {
  if (key.startsWith('agent')) phase.agentTypes = /^none$/i.test(value) ? [] : list(value);
  else if (key.startsWith('output')) {
    const names = readNames(value);
    phase.outputVariables = names.filter(({ kind }) => kind === 'variable').map(({ name }) => name);
    phase.outputFiles = names.filter(({ kind }) => kind === 'file').map(({ name }) => name);
  } else if (key.startsWith('input')) return readNames(value).map(({ name }) => name);
  else if (key === 'condition') phase.condition = value.replaceAll('`', '');
  else if (key.includes('task')) phase.todoWriteSubTasks = list(value);
  else phase.handsOverTo = Number(/\d+/.exec(value)?.[0]);
  return inputs;
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
    let inputs: string[] = [];
    for (const key of ['agents', 'inputs', 'outputs', 'condition', 'tasks', 'handoff']) {
      const given = entry[key];
      if (given === undefined) continue;
      inputs = setField(
        phase,
        inputs,
        key,
        Array.isArray(given) ? given.map(String).join(', ') : String(given),
      );
      delete (phase as Record<string, unknown>)[key];
    }
    return { phase, inputs };
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
