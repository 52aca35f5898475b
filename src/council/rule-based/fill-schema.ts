import { isRecord } from '../../base/safe-json.ts';
import type { Study } from './study.ts';
import { aim, headed, placesOf, reasonsOf } from './wording.ts';

type Schema = Record<string, unknown>;

const deepest = 8;

/**
 * A value that fits a JSON Schema nobody wrote a rule for, filled from the study by the names of its properties: paths,
 * lines, tests, commands, titles. What has no counterpart says so.
 */
export function fillSchema(schema: unknown, study: Study): unknown {
  return fill(isRecord(schema) ? schema : {}, {
    study,
    root: isRecord(schema) ? schema : {},
    name: 'answer',
    item: 0,
    depth: 0,
  });
}

type Place = { study: Study; root: Schema; name: string; item: number; depth: number };

function fill(schema: Schema, place: Place): unknown {
  const target = resolve(schema, place.root);
  if ('const' in target) return target.const;
  if ('default' in target && target.default !== null) return target.default;
  if (Array.isArray(target.enum)) return target.enum.find((value) => value !== null) ?? null;
  const options = target.anyOf ?? target.oneOf;
  if (Array.isArray(options)) {
    const usable = options.filter(isRecord).filter((option) => option.type !== 'null');
    return usable[0] === undefined ? null : fill(usable[0], place);
  }
  const type = Array.isArray(target.type) ? target.type.find((name) => name !== 'null') : target.type;
  switch (type) {
    case 'object':
      return fillObject(target, place);
    case 'array':
      return fillArray(target, place);
    case 'integer':
    case 'number':
      return fillNumber(target, place);
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return fillText(target, place);
  }
}

function resolve(schema: Schema, root: Schema): Schema {
  const reference = typeof schema.$ref === 'string' ? schema.$ref : undefined;
  if (reference === undefined || !reference.startsWith('#/')) return reference === '#' ? root : schema;
  let at: unknown = root;
  for (const part of reference.slice(2).split('/'))
    at = isRecord(at) ? at[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  return isRecord(at) ? at : {};
}

function fillObject(schema: Schema, place: Place): Record<string, unknown> {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const entries = Object.entries(properties).filter(([name]) => place.depth < deepest || required.has(name));
  return Object.fromEntries(
    entries.flatMap(([name, property]) =>
      isRecord(property) ? [[name, fill(property, { ...place, name, depth: place.depth + 1 })]] : [],
    ),
  );
}

function fillArray(schema: Schema, place: Place): unknown[] {
  const told = /at least (\d+) items/.exec(
    typeof schema.description === 'string' ? schema.description : '',
  )?.[1];
  const least = typeof schema.minItems === 'number' ? schema.minItems : Number(told ?? 0);
  const most = typeof schema.maxItems === 'number' ? schema.maxItems : 6;
  const items = isRecord(schema.items) ? schema.items : { type: 'string' };
  const wanted = place.depth >= deepest ? least : Math.max(least, Math.min(most, countFor(place)));
  return Array.from({ length: wanted }, (_, item) => fill(items, { ...place, item, depth: place.depth + 1 }));
}

/** How many entries a list of this name can have from the study. */
function countFor({ name, study }: Place): number {
  if (/test/i.test(name)) return study.tests.length;
  if (/command/i.test(name)) return study.commands.length;
  if (/file|path|target|module|integration|point|task|step|pattern/i.test(name))
    return Math.min(6, study.targets.length);
  return /depend|question|clarif|conflict|blocked|unknown/i.test(name) ? 0 : 1;
}

function fillNumber(schema: Schema, { name, study, item }: Place): number {
  const least = typeof schema.minimum === 'number' ? schema.minimum : 1;
  const most = typeof schema.maximum === 'number' ? schema.maximum : Number.MAX_SAFE_INTEGER;
  const value = /line/i.test(name) ? (study.targets[item]?.anchors[0]?.line ?? 1) : least;
  return Math.min(most, Math.max(least, value));
}

function fillText(schema: Schema, place: Place): string {
  const description = typeof schema.description === 'string' ? schema.description : '';
  const numbered = /\b([A-Z]{2,})_N\b/.exec(description)?.[1];
  if (numbered !== undefined) return `${numbered}_${place.item + 1}`;
  const least = typeof schema.minLength === 'number' ? schema.minLength : 0;
  const told = /at most (\d+) characters/.exec(description)?.[1];
  const most =
    typeof schema.maxLength === 'number' ? schema.maxLength : told === undefined ? undefined : Number(told);
  const text = textFor(place).padEnd(least, '.');
  return most === undefined ? text : text.slice(0, most);
}

const textRules: readonly { name: RegExp; text: (study: Study, item: number) => string | undefined }[] = [
  { name: /seat/i, text: () => 'static' },
  { name: /^ids?$|_ids?$|Ids?$|^tasks?$/, text: (_, item) => `TASK-${String(item + 1).padStart(3, '0')}` },
  { name: /test.*(?:file|path)|^test$/i, text: ({ tests }, item) => tests[item]?.path },
  { name: /path|file|module|location/i, text: ({ targets }, item) => targets[item]?.path },
  { name: /command/i, text: ({ commands }, item) => commands[item]?.command },
  { name: /symbol|function|anchor/i, text: ({ targets }, item) => targets[item]?.anchors[0]?.name },
  {
    name: /rationale|reason|why|role|relevance/i,
    text: ({ targets }, item) => {
      const target = targets[item];
      return target === undefined ? undefined : `${reasonsOf(target)}; see ${placesOf(target)}`;
    },
  },
  {
    name: /title|name|topic/i,
    text: (study, item) =>
      study.targets[item] === undefined
        ? study.feature.title
        : `${aim(study)} in ${study.targets[item]?.path ?? ''}`,
  },
];

function textFor({ name, study, item }: Place): string {
  const rule = textRules.find((candidate) => candidate.name.test(name));
  const found = rule?.text(study, item);
  if (found !== undefined) return found;
  const target = study.targets[item];
  return headed(
    target === undefined ? `"${study.feature.title}"` : `"${study.feature.title}": ${placesOf(target)}`,
  );
}
