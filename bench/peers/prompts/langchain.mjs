import { PromptTemplate } from '@langchain/core/prompts';
import { documents, headed, schema } from './parts.mjs';

const template = PromptTemplate.fromTemplate(
  '{fixed}\n\n## Answer\n{schema}\n\n## Plan\n<plan>\n{plan}\n</plan>\n\n## Ballot\n<ballot>\n{ballot}\n</ballot>\n',
);

export const compile = () =>
  template.format({
    fixed: headed.join('\n\n'),
    schema: JSON.stringify(schema),
    plan: documents[0].text,
    ballot: documents[1].text,
  });
