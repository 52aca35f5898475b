import type { Nodes, PhrasingContent, Root, RootContent, Table } from 'mdast';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { type ComponentChildren, Fragment } from 'preact';
import { memo } from 'preact/compat';
import { useMemo } from 'preact/hooks';
import { readMarkdown } from '../../src/base/markdown/tree.ts';
import { Cited } from './cited.tsx';
import { isPictureName, Picture } from './picture.tsx';

const longest = 300_000;
const safeLink = /^(?:https?:|mailto:)/i;

/** Markdown of agents as elements, never as markup: what it says in HTML is shown, not obeyed; nothing is loaded. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const root = useMemo(() => parseMarkdown(text), [text]);
  if (root === undefined) return <Unset text={text} />;
  return <div class="prose">{root.children.map(block)}</div>;
});

/** What is not worth the time that it would take, as it was written. */
export function Unset({ text }: { text: string }) {
  return (
    <>
      <p class="quiet">
        Shown as it was written: it is too long, or has too many marks, to be set as Markdown.
      </p>
      <pre class="plain" tabIndex={0}>
        {text}
      </pre>
    </>
  );
}

export function parseMarkdown(text: string): Root | undefined {
  return readMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }, longest);
}

/** One block as an element, written in its own direction; headings begin below those of the page. */
export function block(node: RootContent, index: number): ComponentChildren {
  switch (node.type) {
    case 'heading': {
      const Tag = `h${Math.min(6, node.depth + 2)}` as 'h3';
      return (
        <Tag key={index} dir="auto">
          {node.children.map(inline)}
        </Tag>
      );
    }
    case 'paragraph':
      return (
        <p key={index} dir="auto">
          {node.children.map(inline)}
        </p>
      );
    case 'blockquote':
      return (
        <blockquote key={index} dir="auto">
          {node.children.map(block)}
        </blockquote>
      );
    case 'list':
      return node.ordered === true ? (
        <ol key={index} dir="auto" start={node.start ?? 1}>
          {node.children.map(block)}
        </ol>
      ) : (
        <ul key={index} dir="auto">
          {node.children.map(block)}
        </ul>
      );
    case 'listItem': {
      const [only] = node.children;
      const tight = node.children.length === 1 && only?.type === 'paragraph';
      return (
        <li key={index}>
          {node.checked === true ? '☑ ' : node.checked === false ? '☐ ' : ''}
          {tight ? only.children.map(inline) : node.children.map(block)}
        </li>
      );
    }
    case 'code':
      return (
        <pre key={index} tabIndex={0}>
          <code>{node.value}</code>
        </pre>
      );
    case 'table':
      return <TableBlock key={index} node={node} />;
    case 'thematicBreak':
      return <hr key={index} />;
    case 'html':
      return (
        <p key={index}>
          <code>{node.value}</code>
        </p>
      );
    case 'definition':
    case 'footnoteDefinition':
    case 'yaml':
      return null;
    default:
      return inline(node, index);
  }
}

/** As `map` gives it: a line that begins with a label in bold stays a separate line, as in our own lists of fields. */
function inline(
  node: PhrasingContent | Nodes,
  index: number,
  all: readonly (PhrasingContent | Nodes)[] = [],
): ComponentChildren {
  switch (node.type) {
    case 'text':
      return all[index + 1]?.type === 'strong' && /\n\s*$/.test(node.value) ? (
        <Fragment key={index}>
          <Cited text={node.value} />
          <br />
        </Fragment>
      ) : (
        <Cited key={index} text={node.value} />
      );
    case 'inlineCode':
      return (
        <code key={index}>
          <Cited text={node.value} />
        </code>
      );
    case 'strong':
      return <strong key={index}>{node.children.map(inline)}</strong>;
    case 'emphasis':
      return <em key={index}>{node.children.map(inline)}</em>;
    case 'delete':
      return <del key={index}>{node.children.map(inline)}</del>;
    case 'break':
      return <br key={index} />;
    case 'link':
      return safeLink.test(node.url) ? (
        <a key={index} href={node.url} target="_blank" rel="noopener noreferrer nofollow">
          {node.children.map(inline)}
        </a>
      ) : (
        <span key={index}>{node.children.map(inline)}</span>
      );
    case 'image':
      return isPictureName(node.url) ? (
        <Picture key={index} name={node.url} alt={node.alt ?? node.url} />
      ) : (
        <span key={index}>[image: {node.alt ?? ''}]</span>
      );
    case 'html':
      return <code key={index}>{node.value}</code>;
    case 'footnoteReference':
    case 'linkReference':
    case 'imageReference':
      return <span key={index}>[{node.label ?? node.identifier}]</span>;
    default:
      return null;
  }
}

function TableBlock({ node }: { node: Table }) {
  const [head, ...rows] = node.children;
  return (
    <section class="scroll" tabIndex={0} aria-label="Table">
      <table>
        <thead>
          <tr>
            {head?.children.map((cell, index) => (
              <th key={index} dir="auto">
                {cell.children.map(inline)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.children.map((cell, at) => (
                <td key={at} dir="auto">
                  {cell.children.map(inline)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
