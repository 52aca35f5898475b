import { Adapters, render } from 'promptl-ai';
import { documents, headed, schema } from './parts.mjs';

const prompt =
  '{{ fixed }}\n\n## Answer\n{{ schema }}\n\n## Plan\n<plan>\n{{ plan }}\n</plan>\n\n## Ballot\n<ballot>\n{{ ballot }}\n</ballot>\n';

export const compile = async () => {
  const parameters = {
    fixed: headed.join('\n\n'),
    schema: JSON.stringify(schema),
    plan: documents[0].text,
    ballot: documents[1].text,
  };
  const { messages } = await render({ prompt, parameters, adapter: Adapters.default });
  return messages.map(({ content }) => content.map(({ text }) => text).join('')).join('\n');
};
