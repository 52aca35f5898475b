// `npm run schemas`: writes schemas/ from src/base/schema. A test fails when the two differ.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { publishedSchemas } from '../src/base/schema/published.ts';

const folder = path.resolve(import.meta.dirname, '..', 'schemas');
mkdirSync(folder, { recursive: true });
const schemas = publishedSchemas();
for (const name of readdirSync(folder)) if (!schemas.has(name)) rmSync(path.join(folder, name));
for (const [name, text] of schemas) writeFileSync(path.join(folder, name), text);
