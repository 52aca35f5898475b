import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { answerIn, emptyTranscript, readUpdate } from '../../../src/agents/acp/transcript.ts';
import { type JsonShape, readJsonAnswer } from '../../../src/agents/extract-json.ts';
import { Redactor, secretsIn } from '../../../src/agents/process/output.ts';
import { drivers } from '../../../src/agents/registry.ts';
import { deepestJson, readJson } from '../../../src/base/safe-json.ts';
import { defenceSchema } from '../../../src/base/schema/judgements/debate.ts';
import { findingSchema } from '../../../src/base/schema/judgements/review.ts';
import { readJudgement } from '../../../src/base/schema/judgements.ts';
import { stripAttribution } from '../../../src/council/ballots.ts';
import { checkSketchText, checkSubstantive, readTextAnswer } from '../../../src/council/call/judgement.ts';
import { readDecisions, renderDecisions } from '../../../src/council/decisions.ts';
import { readDefence, renderDefence } from '../../../src/council/defence.ts';
import { readDiscussion, renderDiscussion } from '../../../src/council/discussion.ts';
import { readFindings } from '../../../src/council/findings-text.ts';
import { readJudgeVotes } from '../../../src/council/judge.ts';
import { readAccepted, renderAccepted } from '../../../src/council/outcome-files.ts';
import { readResolutions, renderResolutions } from '../../../src/council/resolutions.ts';
import { readSynthesis, renderSynthesis } from '../../../src/council/sketch.ts';
import { readTally, tally } from '../../../src/council/tally.ts';
import { quorumOf, readVotes } from '../../../src/council/vote.ts';
import { readDocument } from '../../../src/prompts/author.ts';
import { gradeConfirmation } from '../../../src/prompts/confirmation.ts';
import { readTaskReport } from '../../../src/workflows/feature/rules/implementation-log.ts';
import { readReviewAnswer } from '../../../src/workflows/feature/rules/review-answer.ts';
import { readOutOfScope, readRejected } from '../../outcome-readers.ts';
import { judgementNames } from '../../support/judgement-names.ts';
import { replay } from '../../support/replay.ts';
import { holds, same, type Target } from '../target.ts';

const ids = ['FINDING_1', 'FINDING_2', 'FINDING_10', 'OOS_1'];
const votes = 'FINDING_1: YES — right\n- **FINDING_2**: NO — `wrong`\nFINDING_10: EXONERATE\nOOS_1: no\n';
const findings =
  '1. **[Important] correctness — Lock is never released.** See src/lock.ts:3.\n   Suggested revision: release it.\n2. [OUT_OF_SCOPE] security: leak\n\n### In-Scope Findings\n- **Concern**: a\n- **Suggested revision**: b\n';
const decision =
  '### DECISION_1: Where it lives\n- **Chosen**: memory\n- **Alternative**: file\n- **Tension**: speed\n- **Impact**: High\n- **Affected files**: a.ts, b.ts\n';
const defence =
  '<steelman>s</steelman>\n<claim>c</claim>\n<evidence>src/a.ts:1</evidence>\n<strongest_concession>x</strongest_concession>\n<counter_to_opposition>y</counter_to_opposition>\n<risk_if_wrong>z</risk_if_wrong>\n\nRECOMMEND: THESIS\n';

const fixtures = path.resolve(import.meta.dirname, '../../../src/agents/fixtures');

/** What real agents said: the beginning of one recording of each. */
function recordings(): string[] {
  return readdirSync(fixtures, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const folder = path.join(fixtures, name);
      const recording = readdirSync(folder).find((file) => /^(?:ok|schema)\.jsonl$/.test(file));
      return recording === undefined
        ? []
        : [readFileSync(path.join(folder, recording), 'utf8').slice(0, 6000)];
    });
}

function extractJson(text: string, shape?: JsonShape) {
  const reading = readJsonAnswer(text, shape === undefined ? {} : { shape });
  return 'value' in reading ? reading.value : undefined;
}

/** Reading what was read and written again changes nothing. */
function settled<Value>(value: Value, again: Value): void {
  same(again, value, 'what is written is read back as it was');
}

export const answers: readonly Target[] = [
  {
    name: 'votes',
    reads: 'vote lines of the review panel, and the tally made of them',
    seeds: [votes, 'FINDING_1: YES/NO', 'I vote:\n```\nFINDING_01: yes\n```\nFINDING_1: NO'],
    run(text) {
      const reading = readVotes(text, ids);
      const cast = Object.keys(reading.votes);
      holds(
        cast.every((id) => ids.includes(id)),
        'votes are cast only on items of the ballot',
      );
      same([...cast, ...reading.missing].sort(), [...ids].sort(), 'every item has a vote or is missing');
      const items = ids.map((id) => ({ id, scope: id.startsWith('OOS') ? 'out-of-scope' : 'in-scope' }));
      const others = ['NO', 'NO'].map((vote, index) => ({
        label: `other ${index}`,
        votes: Object.fromEntries(ids.map((id) => [id, { vote: vote as 'NO', reason: '' }])),
      }));
      const quorum = quorumOf([...others, { label: 'speaker', votes: reading.votes }]);
      for (const { outcome, yes, votes: counted } of tally(items as never, quorum)) {
        holds(yes <= 1 && outcome !== 'accepted', 'one voter, whatever it writes, cannot outvote two');
        holds(
          counted.filter(({ voter }) => voter !== 'speaker').every(({ vote }) => vote === 'NO'),
          'no voter votes for another',
        );
      }
    },
  },
  {
    name: 'judge-votes',
    reads: 'vote lines of the judges of a debate',
    seeds: ['DECISION_1: THESIS — holds\nDECISION_2: ANTI_THESIS', '- **DECISION_12**: `ANTI_THESIS` x'],
    run(text) {
      const { votes: cast } = readJudgeVotes('judge', text, [1, 2, 12]);
      holds(
        Object.keys(cast).every((id) => ['1', '2', '12'].includes(id)),
        'only decisions on the ballot',
      );
    },
  },
  {
    name: 'findings',
    reads: 'findings of reviewers as lists, blocks or two lists',
    seeds: [findings, 'NO_ISSUES_FOUND', '### FINDING_1: a\n- **Concern**: b\n- **Severity**: Nit'],
    run(text) {
      const reading = readFindings(text);
      if (!reading.ok) return;
      for (const finding of reading.findings) {
        const checked = findingSchema.safeParse(finding);
        holds(
          checked.success,
          `a finding is one: ${checked.error?.issues[0]?.path.join('.')} ${checked.error?.issues[0]?.message}`,
        );
      }
    },
  },
  {
    name: 'defences',
    reads: 'defences of debaters: six tags and a recommendation',
    seeds: [defence, defence.replaceAll('<', '&lt;'), '**RECOMMEND: anti_thesis**'],
    run(text) {
      readDefence(text);
      const field = {
        steelman: text,
        claim: text,
        evidence: text,
        strongestConcession: text,
        counterToOpposition: text,
        riskIfWrong: text,
      };
      const typed = defenceSchema.safeParse({ ...field, recommend: 'THESIS' });
      if (!typed.success) return;
      const back = readDefence(renderDefence(typed.data));
      same(back.recommends, ['THESIS'], 'text in a defence recommends nothing');
      same(back.tags.risk_if_wrong, typed.data.riskIfWrong, 'text stays within its tag');
      same(back.tags.claim, typed.data.claim, 'text stays within its tag');
    },
  },
  {
    name: 'decisions',
    reads: 'contested decisions, resolutions of debates',
    seeds: [
      decision,
      'NO_CONTESTED_DECISIONS',
      '### DECISION_1: t\n**Resolution**: r\n**Disposition**: voted\n**Vote tally**: THESIS=1, ANTI_THESIS=2\n**Thesis summary**: a\n**Antithesis summary**: b\n**Why antithesis prevails**: x\n',
    ],
    run(text) {
      const decisions = readDecisions(text);
      if (decisions.ok) settled(decisions, readDecisions(renderDecisions(decisions.decisions)));
      const resolutions = readResolutions(text);
      if (resolutions.ok) settled(resolutions, readResolutions(renderResolutions(resolutions.resolutions)));
    },
  },
  {
    name: 'synthesis',
    reads: 'syntheses of sketches and settled points of discussions',
    seeds: [
      '## Summary\n\nx\n\n## Agreements\n\n- a [arch]\n\n## Divergences\n\n- b\n\n## Ideas\n\n- c\n',
      '### 1. Scope\n- **Question**: q\n- **Answer**: a\n',
    ],
    run(text) {
      const synthesis = readSynthesis(text);
      readSynthesis(renderSynthesis({ ...synthesis, contested: [] }));
      readDiscussion(renderDiscussion(readDiscussion(text)));
    },
  },
  {
    name: 'outcomes',
    reads: 'accepted, rejected and out-of-scope findings, tally and ballot files',
    seeds: [
      '### FINDING_1: a\n- **Concern**: b\n- **Resolution**: c\n',
      '| ID | YES | NO | EXONERATE | Outcome |\n|---|---|---|---|---|\n| FINDING_1 | 2 | 1 | 0 | accepted |\n',
    ],
    run(text) {
      const accepted = readAccepted(text);
      settled(accepted, readAccepted(renderAccepted(accepted)));
      readRejected(text);
      readOutOfScope(text);
      readTally(text);
    },
  },
  {
    name: 'text-answers',
    reads: 'text answers instead of JSON, for every judgement',
    seeds: [
      votes,
      findings,
      decision,
      defence,
      'BETTER: PLAN A — clear',
      '```mermaid\nflowchart TD\nA-->B\n```\n',
    ],
    run(text) {
      const input = { items: ids.map((id) => ({ id })), debates: [{ number: 1 }] };
      for (const name of judgementNames) readJudgement(name, readTextAnswer(name, text, input));
      checkSubstantive(text, 'validation');
      checkSketchText(text);
      stripAttribution(text);
    },
  },
  {
    name: 'judgements',
    reads: 'JSON values of every judgement against its schema',
    seeds: [
      '{"votes":[{"id":"FINDING_1","vote":"YES","reason":"x"}]}',
      '{"findings":[]}',
      '{"verdicts":[{"decision":1,"vote":"THESIS","rationale":"x"}]}',
      '{"summary":"a","approach":"b","decisions":[],"files":[],"risks":[]}',
    ],
    run(text) {
      const reading = readJson(text);
      if (!reading.ok) return;
      for (const name of judgementNames) readJudgement(name, reading.value);
    },
  },
  {
    name: 'json-in-prose',
    reads: 'JSON inside prose, fences or bold',
    seeds: [
      'Sure:\n```json\n{"a": [1, "}"]}\n```\n',
      '**{"a":1}**',
      '[1] and {"b":{"c":[]}} end',
      '{"a":"\\""',
    ],
    run(text) {
      const value = extractJson(text);
      holds(value === undefined || typeof value === 'object', 'only objects and arrays are answers');
      holds(!Array.isArray(extractJson(text, 'object')), 'an object was asked for');
      const list = extractJson(text, 'array');
      holds(list === undefined || Array.isArray(list), 'a list was asked for');
      const whole = readJson(text.trim());
      if (whole.ok && typeof whole.value === 'object' && whole.value !== null)
        same(value, whole.value, 'an answer that is JSON is taken whole');
    },
  },
  {
    name: 'nested-json',
    reads: 'JSON within JSON within JSON, said twice',
    seeds: ['x', '{"a":1}', '[1, "]"]', '"}{"', '\\"'],
    run(text) {
      const inner = readJson(text).ok ? text : JSON.stringify(text);
      for (const levels of [20, 2_000, 20_000]) {
        const lists = `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`;
        const objects = `${'{"a":'.repeat(levels)}${inner}${'}'.repeat(levels)}`;
        for (const deep of [lists, objects]) {
          const value = extractJson(`First ${deep} and again ${deep}.`);
          if (levels > deepestJson)
            holds(value === undefined, 'too deeply nested JSON does not count as an answer');
          else if (value !== undefined)
            holds(isDeepStrictEqual(value, structuredClone(value)), 'it is a value');
        }
      }
    },
  },
  {
    name: 'confirmations',
    reads: 'what an agent confirms to have read',
    seeds: [
      'Files read: spec.md (10 lines), plan.md',
      '**Files read:**\n- `spec.md` (9 lines)\n- design.md\n',
      '> Files read: x',
    ],
    run(text) {
      const expected = [
        { label: 'Spec', name: 'spec.md', lines: 10 },
        { label: 'Plan', name: 'plan.md' },
      ];
      const { grade, missing, read } = gradeConfirmation(text, expected);
      holds(
        missing.every((name) => expected.some((file) => file.name === name)),
        'only expected files can be missing',
      );
      holds(grade !== 'full' || (missing.length === 0 && read.length > 0), 'full means that all were read');
    },
  },
  {
    name: 'feature-answers',
    reads: 'answers of feature reviewers, implementers and authors',
    seeds: [
      '{"approved": false, "issues": [{"severity": "blocker", "description": "x", "location": "a"}]}',
      '## Files changed\n- `src/a.ts`\n- ../b.ts\n\n## Decisions\nnone\n',
      '```markdown\n# Spec\n```\n',
    ],
    run(text) {
      readReviewAnswer(text);
      const { filesChanged } = readTaskReport(text);
      holds(
        filesChanged.every((file) => !path.isAbsolute(file) && !file.split('/').includes('..')),
        'reported paths stay inside',
      );
      readDocument(text);
    },
  },
  {
    name: 'agent-streams',
    reads: 'lines of every agent program',
    seeds: recordings(),
    run(text) {
      for (const driver of Object.values(drivers)) {
        const result = replay(driver, text, { code: 0 });
        holds(
          typeof result.kind === 'string' && (result.kind !== 'ok' || result.text !== ''),
          'success has an answer',
        );
      }
    },
  },
  {
    name: 'acp-updates',
    reads: 'session updates over the Agent Client Protocol',
    seeds: [
      '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi"},"messageId":"1"}\n{"sessionUpdate":"tool_call","toolCallId":"a","title":"read","kind":"read","status":"pending"}\n{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed"}\n{"sessionUpdate":"usage_update","used":3}',
    ],
    run(text) {
      let transcript = emptyTranscript;
      for (const line of text.split('\n')) {
        const reading = readJson(line);
        if (reading.ok) ({ transcript } = readUpdate(transcript, reading.value));
      }
      answerIn(transcript);
    },
  },
  {
    name: 'secrets',
    reads: 'output of agents that may say a key aloud, in any pieces',
    seeds: ['a canary-7f3a b', '{"key":"canary-7f3a"}', 'canary-\n7f3a'],
    run(text) {
      const secrets = secretsIn({ API_KEY: 'canary-7f3a', OTHER_TOKEN: 'canary-7f3a-long' });
      const redactor = new Redactor(secrets);
      const bytes = Buffer.from(text);
      // Pieces of as many bytes as the text itself says.
      const out: Uint8Array[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const length = 1 + ((bytes[turn % bytes.length] ?? 0) % 23);
        out.push(redactor.push(bytes.subarray(at, at + length)));
        at += length;
      }
      const said = Buffer.concat([...out, redactor.end()]).toString();
      holds(!secrets.some((secret) => said.includes(secret)), 'no secret passes, whole or in pieces');
      if (!secrets.some((secret) => text.includes(secret)) && text.isWellFormed())
        same(said, text, 'everything else passes unchanged');
    },
  },
];
