import { OutputMode, PromptElement, PromptRenderer, UserMessage } from '@vscode/prompt-tsx';
import { documents, headed, schema } from './parts.mjs';

/** Counts by length, so that what is measured is the library and not a tokenizer. */
const tokenizer = {
  mode: OutputMode.Raw,
  tokenLength: ({ text = '' }) => Math.ceil(text.length / 4),
  countMessageTokens: ({ content }) =>
    content.reduce((sum, { text = '' }) => sum + Math.ceil(text.length / 4), 0),
};

class Review extends PromptElement {
  render() {
    return vscpp(
      UserMessage,
      null,
      `${headed.join('\n\n')}\n\n## Answer\n${JSON.stringify(schema)}\n\n## Plan\n<plan>\n`,
      documents[0].text,
      '\n</plan>\n\n## Ballot\n<ballot>\n',
      documents[1].text,
      '\n</ballot>\n',
    );
  }
}

export const compile = async () => {
  const renderer = new PromptRenderer({ modelMaxPromptTokens: 200_000 }, Review, {}, tokenizer);
  const { messages } = await renderer.render();
  return messages.map(({ content }) => content.map(({ text }) => text).join('')).join('\n');
};
