import { z } from 'zod';
import { lintPaths } from '../../../skills/lint/lint-paths.ts';
import { listInput, listOutput, listPage } from '../list-page.ts';
import { pathInput, projectPath } from '../project-path.ts';
import { defineTool, readsOnly } from '../tool.ts';

const gate = z.enum(['PASS', 'REVIEW', 'FAIL']);

export const skillLint = defineTool({
  name: 'skill_lint',
  title: 'Lint skills',
  description: 'Checks skill packages below paths of the project: PASS, REVIEW or FAIL, and the findings.',
  input: z.object({ paths: z.array(pathInput).min(1).max(50).default(['.']), ...listInput }),
  output: z.object({
    gate,
    packages: z
      .array(z.object({ path: z.string(), name: z.string(), gate, findings: z.int() }))
      .describe('At most 100.'),
    findings: z.array(
      z.object({
        package: z.string(),
        rule: z.string(),
        severity: z.string(),
        file: z.string(),
        line: z.int(),
        message: z.string(),
        fixable: z.boolean(),
      }),
    ),
    ...listOutput,
  }),
  annotations: readsOnly,
  async call({ paths: named, ...page }, { context: { cwd } }) {
    const paths = await Promise.all(named.map((name) => projectPath(cwd, name)));
    const result = lintPaths({ paths, roots: [], cwd });
    const all = result.packages.flatMap((entry) =>
      entry.findings.map(({ rule, severity, file, line, message, fixable }) => ({
        package: entry.path,
        ...{ rule, severity, file, line, message, fixable },
      })),
    );
    const { items: findings, ...rest } = listPage(all, page);
    const packages = result.packages
      .slice(0, 100)
      .map((entry) => ({ ...pick(entry), findings: entry.findings.length }));
    return { gate: result.gate, packages, findings, ...rest };
  },
});

function pick({ path, name, gate: own }: ReturnType<typeof lintPaths>['packages'][number]) {
  return { path, name, gate: own };
}
