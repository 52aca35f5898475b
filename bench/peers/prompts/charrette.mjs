import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { documents, fixed, schema } from './parts.mjs';

/** The built library; `CHARRETTE_DIST` says where, since this file is copied beside the other libraries. */
const built = pathToFileURL(path.join(process.env.CHARRETTE_DIST, 'prompts.js'));
const { compose, data, seededNonce, words } = await import(built.href);
const nonce = seededNonce('bench');

export const compile = () =>
  compose(
    {
      task: 'review',
      fixed: fixed.map(({ name, text, heading }) => words(name, text, heading)),
      answer: { kind: 'json', schema },
      changing: documents.map(({ name, text }) => data(name, text, { heading: name })),
    },
    { nonce },
  ).text;
