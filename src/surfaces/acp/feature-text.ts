import { fileURLToPath } from 'node:url';
import type { ContentBlock } from '@agentclientprotocol/sdk';

/** The words of a prompt. Files that were mentioned are named; their text, where the editor sent it, comes after. */
export function featureText(blocks: readonly ContentBlock[]): string {
  const words = blocks.flatMap((block) => {
    if (block.type === 'text') return [block.text];
    if (block.type === 'resource_link') return [nameOf(block.uri)];
    return [];
  });
  const attached = blocks.flatMap((block) =>
    block.type === 'resource' && 'text' in block.resource
      ? [`${nameOf(block.resource.uri)}:\n${block.resource.text}`]
      : [],
  );
  return [words.join(' ').trim(), ...attached].filter((part) => part !== '').join('\n\n');
}

function nameOf(uri: string): string {
  try {
    return uri.startsWith('file://') ? fileURLToPath(uri) : uri;
  } catch {
    return uri;
  }
}
