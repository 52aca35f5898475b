import { expect, test } from 'vitest';
import { hostileTexts } from '../../test/hostile-texts.ts';
import { readOutOfScope, readRejected } from '../../test/outcome-readers.ts';
import { tidyLine, tidyProse } from '../base/schema/primitives.ts';
import { sanitizeDiagram } from '../plan/diagram.ts';
import { readPlan } from '../plan/plan-text.ts';
import { stripAttribution } from './ballots.ts';
import { checkSketchText, checkSubstantive } from './call/judgement.ts';
import { readDecisions } from './decisions.ts';
import { readDefence } from './defence.ts';
import { readDiscussion } from './discussion.ts';
import { readFindings } from './findings-text.ts';
import { readAccepted } from './outcome-files.ts';
import { readResolutions } from './resolutions.ts';
import { hasSecurityTag } from './review.ts';
import { readSynthesis } from './sketch.ts';
import { readTally } from './tally.ts';
import { readVotes } from './vote.ts';

const readers: [string, (text: string) => unknown][] = [
  ['findings', readFindings],
  ['votes', (text) => readVotes(text, ['FINDING_1'])],
  ['decisions', readDecisions],
  ['resolutions', readResolutions],
  ['synthesis', readSynthesis],
  ['defence', readDefence],
  ['discussion', readDiscussion],
  ['plan', readPlan],
  ['accepted', readAccepted],
  ['rejected', readRejected],
  ['out of scope', readOutOfScope],
  ['tally', readTally],
  ['security tag', hasSecurityTag],
  ['attribution', (text) => stripAttribution(text)],
  ['substantive', (text) => checkSubstantive(text, 'validation')],
  ['sketch', checkSketchText],
  ['diagram', (text) => sanitizeDiagram(`flowchart TD\n${text}`, 'raw')],
  ['diagram file', (text) => sanitizeDiagram(text, 'markdown')],
  ['prose', tidyProse],
  ['line', tidyLine],
];

// A pattern that backtracks needs far longer for these than the limit of the test, a linear one a fraction of it.
test.each(readers)(
  'F-23 a flood of unfinished marks does not stop the reader of %s',
  { timeout: 20_000 },
  (_, read) => {
    for (const text of hostileTexts(150_000)) expect(() => read(text)).not.toThrow();
  },
);
