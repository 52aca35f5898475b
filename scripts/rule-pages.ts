// Writes docs/reference/rules/ from the rule table.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rulePages } from '../src/skills/rule-pages.ts';

const folder = path.resolve(import.meta.dirname, '../docs/reference/rules');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [file, text] of rulePages()) writeFileSync(path.join(folder, file), text);
