import { isRecord } from '../safe-json.ts';

/** As much of a YAML document as is needed here: its parser is loaded only by those who have some. */
type YamlDocument = { contents: unknown; toJS(options: { maxAliasCount: number }): unknown };

const mostAliases = 100;

/**
 * The value of a YAML document. A key that is a list or a mapping is refused: it would be written out as text, and one in another in
 * another takes minutes for a line.
 */
export function yamlValue(document: YamlDocument): unknown {
  const open = [document.contents];
  while (open.length > 0) {
    const node = open.pop();
    if (!isRecord(node) || !Array.isArray(node['items'])) continue;
    for (const item of node['items'] as unknown[]) {
      if (!isRecord(item) || !('key' in item)) open.push(item);
      else if (isText(item['key'])) open.push(item['value']);
      else throw new Error('a key is a list or a mapping instead of a text');
    }
  }
  return document.toJS({ maxAliasCount: mostAliases });
}

/** Scalars have a value; collections have items, and what refers to them elsewhere a name. */
function isText(key: unknown): boolean {
  return !isRecord(key) || 'value' in key;
}
