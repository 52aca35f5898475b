import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse, parseFragment } from 'parse5';
import { securityReject } from './import-errors.ts';
import { limits } from './limits.ts';

/** A whole page as a tree; `entry` names it when it is refused. */
export function parsePage(source: string, entry: string): DefaultTreeAdapterTypes.Document {
  return parse(source, { treeAdapter: boundedTree(entry) });
}

export function parsePart(source: string, entry: string): DefaultTreeAdapterTypes.DocumentFragment {
  return parseFragment(source, { treeAdapter: boundedTree(entry) });
}

/** Formatting that is left open is repeated in every paragraph after it, so that a small page can make a tree without end. */
function boundedTree(entry: string): typeof defaultTreeAdapter {
  let elements = 0;
  return {
    ...defaultTreeAdapter,
    createElement(...parts) {
      elements += 1;
      if (elements > limits.elements)
        throw securityReject([{ entry, reason: `more than ${limits.elements} elements` }]);
      return defaultTreeAdapter.createElement(...parts);
    },
  };
}
