import type { DefaultTreeAdapterTypes } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;

/** What every node weighs with all that lies below it, in one pass over the tree; `own` says what it weighs alone. */
export function treeWeights(root: Node, own: (node: Node) => number): ReadonlyMap<Node, number> {
  const nodes: { node: Node; parent: Node | undefined }[] = [{ node: root, parent: undefined }];
  const weights = new Map<Node, number>();
  // Grows while it is read, so that parents stand before their children.
  for (const { node } of nodes) {
    weights.set(node, own(node));
    for (const child of childrenOf(node)) nodes.push({ node: child, parent: node });
  }
  for (const { node, parent } of nodes.reverse()) {
    if (parent !== undefined) weights.set(parent, (weights.get(parent) ?? 0) + (weights.get(node) ?? 0));
  }
  return weights;
}

function childrenOf(node: Node): readonly Node[] {
  if ('content' in node) return [node.content];
  return 'childNodes' in node ? node.childNodes : [];
}

/** Characters of its markup at least: escaping only makes it longer. */
export function markupWeight(node: Node): number {
  if ('tagName' in node) {
    const attributes = node.attrs.map(({ name, value }) => name.length + value.length + 4);
    return attributes.reduce((sum, length) => sum + length, 2 * node.tagName.length + 5);
  }
  if ('value' in node) return node.value.length;
  return 'data' in node ? node.data.length : 0;
}

/** Characters of its text, and one for the visit. */
export function textWeight(node: Node): number {
  return 'value' in node ? node.value.length + 1 : 1;
}
