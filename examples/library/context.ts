// Prints the design documents of a project as one block: node examples/library/context.ts path/to/project 4000
import { designContext, openProject } from 'charrette';

const [folder = '.', budget = '8000'] = process.argv.slice(2);
const { design, text } = await designContext(openProject(folder), { budget: Number(budget) });
console.error(`${design.outcome}: ${design.files.length} documents`);
console.log(text);
