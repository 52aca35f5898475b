import { Dotprompt } from 'dotprompt';
import { documents, headed, schema } from './parts.mjs';

const source =
  '{{fixed}}\n\n## Answer\n{{schema}}\n\n## Plan\n<plan>\n{{plan}}\n</plan>\n\n## Ballot\n<ballot>\n{{ballot}}\n</ballot>\n';
const compiled = await new Dotprompt().compile(source);

export const compile = async () => {
  const input = {
    fixed: headed.join('\n\n'),
    schema: JSON.stringify(schema),
    plan: documents[0].text,
    ballot: documents[1].text,
  };
  const { messages } = await compiled({ input });
  return messages.map(({ content }) => content.map(({ text }) => text ?? '').join('')).join('\n');
};
