import { Markdown } from '../markdown.tsx';

/** A document that the run wrote for people. */
export function Document({ text }: { text: string }) {
  return (
    <div class="card document">
      <Markdown text={text} />
    </div>
  );
}
