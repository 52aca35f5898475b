import { createHash } from 'node:crypto';
import path from 'node:path';
import type { GroundingFact, GroundingReport } from '../plan/grounding-report.ts';
import { version } from './version.ts';

/** Where the claims stand: the plan as the repository names it, and its text. */
export type PlanPlace = { file: string; text: string };

const checks: Readonly<Record<GroundingFact['check'], string>> = {
  file: 'Files that the plan changes are there; files that it makes are not.',
  symbol: 'Symbols that the plan names are declared.',
  command: 'Commands that the plan gives can be run.',
  section: 'The sections of a plan are there and filled.',
  tests: 'What changes has tests.',
  decision: 'Decisions that were taken are followed.',
  citation: 'Places that the plan cites hold what it says.',
};

const levels = { none: 'none', warning: 'warning', error: 'error' } as const;

/** SARIF 2.1.0: every claim that does not hold, at the line of the plan that makes it. */
export function planSarif(report: GroundingReport, place: PlanPlace): unknown {
  const open = report.facts.filter(({ severity }) => severity !== 'none');
  const used = [...new Set(open.map(({ check }) => check))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'charrette plan check',
            version,
            rules: used.map((check) => ({ id: `plan-${check}`, shortDescription: { text: checks[check] } })),
          },
        },
        results: open.map((fact) => ({
          ruleId: `plan-${fact.check}`,
          ruleIndex: used.indexOf(fact.check),
          level: levels[fact.severity],
          message: { text: messageOf(fact) },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: place.file.split(path.sep).map(encodeURIComponent).join('/') },
                region: { startLine: lineOf(fact.subject, place.text) },
              },
            },
          ],
          partialFingerprints: { 'charrette/v1': fingerprint(fact) },
        })),
      },
    ],
  };
}

/** Annotations as GitHub's runner reads them from the output of a step. */
export function planAnnotations(report: GroundingReport, place: PlanPlace): string {
  return report.facts
    .filter(({ severity }) => severity !== 'none')
    .map((fact) => {
      const where = `file=${property(place.file)},line=${lineOf(fact.subject, place.text)}`;
      return `::${fact.severity} ${where},title=${property(`plan-${fact.check}`)}::${data(messageOf(fact))}\n`;
    })
    .join('');
}

function messageOf({ check, subject, result, reason }: GroundingFact): string {
  return `${check} ${subject}: ${result}; ${reason}`;
}

/** The first line that names the subject, else the first of the plan. */
function lineOf(subject: string, text: string): number {
  const at = text.split('\n').findIndex((line) => line.includes(subject));
  return Math.max(0, at) + 1;
}

function fingerprint({ check, subject }: GroundingFact): string {
  return createHash('sha256').update(`${check}\0${subject}`).digest('hex').slice(0, 32);
}

/** What agents wrote must not end the annotation or begin another. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
