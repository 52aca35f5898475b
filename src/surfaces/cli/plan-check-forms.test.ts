import { expect, test } from 'vitest';
import { type GroundingFact, reportOf } from '../../plan/grounding/grounding.ts';
import { groundingFindings } from '../../service/checks.ts';
import { planAnnotations, planSarif } from './plan-check.ts';

const fact: GroundingFact = {
  check: 'file',
  subject: 'src/a.ts',
  result: 'missing',
  severity: 'error',
  basis: 'exact',
  reason: 'not there\n::error::owned 100%',
};
const place = { file: 'docs/my plan.md', text: '# Plan\n\n- modify `src/a.ts`: x\n' };

test('an annotation is one line at the place of the claim; text in it cannot begin another', () => {
  const report = reportOf('abc', [
    fact,
    { ...fact, severity: 'none' },
    { ...fact, subject: 'gone', severity: 'warning' },
  ]);
  expect(planAnnotations(groundingFindings(report, place))).toBe(
    [
      '::error file=docs/my plan.md,line=3,title=plan-file::file src/a.ts: missing; not there%0A::error::owned 100%25\n',
      '::warning file=docs/my plan.md,line=1,title=plan-file::file gone: missing; not there%0A::error::owned 100%25\n',
    ].join(''),
  );
});

test('SARIF names every rule it uses and the place as a URI', () => {
  expect(planSarif(groundingFindings(reportOf('abc', [fact]), place))).toMatchObject({
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { rules: [{ id: 'plan-file' }] } },
        results: [
          {
            ruleId: 'plan-file',
            ruleIndex: 0,
            level: 'error',
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: 'docs/my%20plan.md' },
                  region: { startLine: 3 },
                },
              },
            ],
          },
        ],
      },
    ],
  });
});
