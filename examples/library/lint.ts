// Lints every skill below a folder and prints the findings: node examples/library/lint.ts skills
import { lintSkills, openProject } from 'charrette';

const [root = 'skills'] = process.argv.slice(2);
const { gate, packages } = lintSkills(openProject('.'), { roots: [root] });
for (const { path, findings } of packages)
  for (const { severity, file, line, rule, message } of findings)
    console.log(`${severity} ${path}/${file}:${line} ${rule} ${message}`);
console.log(`${packages.length} packages: ${gate}`);
