export { parseDocument } from './document/parse.ts';
export { lintPackage, lintPackages } from './lint/engine.ts';
export { lintPaths } from './lint/lint-paths.ts';
export { evaluateCondition, parseCondition } from './model/condition.ts';
export { buildPackage, type SkillPackage } from './model/package.ts';
export { readPackageFiles } from './read-package.ts';
export { allRules } from './rules/catalog.ts';
