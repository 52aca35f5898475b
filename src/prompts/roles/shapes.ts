/** §2D: what each kind of reviewer returns, as it stands in the prompt. A key without a value is a text. */

const severity = '"severity":"blocker|warning|suggestion"';
const rest = '"description","location","suggestion"';

function review(issue: string, extra = '', after = ''): string {
  return `{"approved":bool,${extra}"issues":[{${issue}}],"summary"${after}}`;
}

/** §2F: a fault that cannot be mended where it is found. */
const backward = ',"backward_to"?:"earlier phase at fault","backward_reason"?';

const levels = '"tasks|spec|design|prd":{"passed":bool,"issues_count":0}';

export const shapes = {
  'spec-reviewer': review(
    `${severity},"category":"testability|assumptions|scope|traceability|clarity",${rest}`,
  ),
  'design-reviewer': review(
    `${severity},"category":"completeness|consistency|feasibility|assumptions|complexity",${rest}`,
  ),
  'plan-reviewer': review(`${severity},${rest}`),
  'task-reviewer': review(`${severity},"task","description","suggestion"`),
  'phase-reviewer': review(`${severity},${rest}`),
  'later-phase-reviewer': review(`${severity},${rest}`, '', backward),
  'implementation-reviewer': review(
    `${severity},"level":"tasks|spec|design|prd","category":"missing|extra|misunderstood|incomplete",${rest}`,
    `"levels":{${levels}},"evidence":{"verified":[],"missing":[]},`,
    backward,
  ),
  'code-quality-reviewer': review(
    `${severity},"category":"readability|kiss|yagni|formatting|flow",${rest}`,
    '"strengths":[],',
  ),
  'security-reviewer': review(
    `${severity},"securitySeverity":"critical|high|medium|low","category":"injection|auth|crypto|exposure|config",${rest}`,
  ),
  'prd-reviewer': review(`${severity},"description","location","evidence","suggested_fix"`),
  'relevance-verifier':
    '{"pass":bool,"checks":[{"name":"coverage|completeness|testability|coherence","pass":bool,"details","gaps":[]}],"summary"}',
  'code-simplifier': review(`${severity},${rest}`),
  'test-deepener':
    '{"outlines":[{"dimension","scenario_name","given","when","then","derived_from"}],"dimensions_assessed":{}}',
  'test-writer':
    '{"tests_added":[],"spec_divergences":[{"criterion","expected","actual"}],"all_tests_pass":bool}',
  research: '{"findings":[{"finding","source","relevance"}]}',
} as const;

export type ShapeName = keyof typeof shapes;

/** T-069: the implementer reports under headings, not in JSON. */
export const implementerReport =
  'Report under the headings Files changed (one path per line), Decisions, Deviations and Concerns; write none where there are none.';
