import { pathsIn } from '../../base/text/citations.ts';
import { readItems, readSections, toLines } from '../../base/text/labelled-block.ts';
import { planInvalid } from '../tasks/read-plan.ts';
import { openSpecDesignTitles } from './openspec-writer.ts';
import { emptyTask, type OutlineReading, type OutlineTask, oneLine } from './outline.ts';
import { readDecision } from './spec-kit-reader.ts';
import { addQuoted, readDetail, unquoted } from './task-lines.ts';

/** The files of a change folder; `specs` are the texts below `specs/` with the names of their capabilities. */
export type OpenSpecFiles = {
  tasks: string;
  proposal?: string;
  design?: string;
  specs?: readonly { capability: string; text: string }[];
};

/** `ticked`: texts of boxes that are done, in their order. */
type Group = { task: OutlineTask; explicit: boolean; open: number; ticked: string[] };

/** Whether a text has groups of OpenSpec: numbered headings whose boxes bear their number. */
export function isOpenSpec(text: string): boolean {
  let number: string | undefined;
  return toLines(text).some((line) => {
    number = /^##\s/.test(line) ? /^##\s+(\d{1,4})[.)]\s/.exec(line)?.[1] : number;
    return number !== undefined && /^\s*[-*]\s*\[[ xX]\]\s*(\d+)\.\d/.exec(line)?.[1] === number;
  });
}

/** Reads a change of OpenSpec: a numbered group of tasks.md becomes a task, its boxes the steps. A group whose boxes are all ticked is done. */
export function readOpenSpec(
  { tasks, proposal = '', design = '', specs = [] }: OpenSpecFiles,
  name: string,
): OutlineReading {
  const groups = readGroups(toLines(tasks));
  if (groups.length === 0)
    throw planInvalid(['tasks.md has no group of the form "## 1. Title" with boxes below it']);
  const done = groups.filter(isTicked);
  if (done.length === groups.length) throw planInvalid(['everything in tasks.md is ticked off']);
  const settled = groups.map((group, index) => {
    const { task, explicit } = group;
    // Groups are written in the order of the work: without "Depends on" a group waits for the one before.
    const before = groups[index - 1]?.task.number;
    const dependsOn = explicit ? task.dependsOn : before === undefined ? [] : [before];
    return { ...task, dependsOn, ...(isTicked(group) ? { done: true } : {}) };
  });
  const endsKnown = endsWithOneOf(settled.flatMap(({ criteria }) => criteria.map((text) => `THEN ${text}`)));
  const scenarios = specs.flatMap(scenariosOf).filter((text) => !endsKnown(text));
  const last = settled.findLast((task) => task.done !== true);
  for (const text of scenarios) last?.criteria.push(text);
  const { sections } = readSections(design, openSpecDesignTitles);
  const proposed = readSections(proposal, ['Why', 'What Changes', 'Capabilities', 'Impact']);
  const title = /^#\s+(?:Change:\s*|Proposal:\s*)?(.+)$/m.exec(proposed.preamble)?.[1]?.trim() ?? name;
  const summary = sections.get('Context') ?? proposed.sections.get('Why') ?? title;
  const decided = sections.get('Decisions') ?? '';
  const approach = toLines(decided)
    .map(unquoted)
    .filter((line) => line !== undefined)
    .join('\n')
    .trim();
  return {
    outline: {
      title,
      summary,
      approach: approach || decided || (proposed.sections.get('What Changes') ?? summary),
      date: '1970-01-01',
      decisions: approach === '' ? [] : readItems(decided).map(readDecision),
      edgeCases: readItems(sections.get('Edge Cases') ?? '').map(oneLine),
      tasks: settled,
    },
    notes: [
      ...(done.length === 0
        ? []
        : [`${done.length} of ${groups.length} groups are ticked off and stay completed`]),
      ...(groups.every(({ explicit }) => explicit) ? [] : ['groups without "Depends on" follow one another']),
      ...(scenarios.length === 0
        ? []
        : [`${scenarios.length} scenarios became criteria of the last open task`]),
    ],
  };
}

/** True if a text ends with one of many; costs one lookup per distinct length. */
function endsWithOneOf(endings: readonly string[]): (text: string) => boolean {
  const known = new Set(endings);
  const lengths = [...new Set(endings.map(({ length }) => length))];
  return (text) => lengths.some((length) => length <= text.length && known.has(text.slice(-length)));
}

function readGroups(lines: readonly string[]): Group[] {
  const groups: Group[] = [];
  for (const line of lines) {
    const heading = /^##\s+(?:(\d{1,4})[.)]\s*)?(\S.*)$/.exec(line);
    if (heading !== null) {
      const number = Number(heading[1] ?? groups.length + 1);
      groups.push({
        task: emptyTask(number, oneLine(heading[2] ?? '')),
        explicit: false,
        open: 0,
        ticked: [],
      });
      continue;
    }
    const group = groups.at(-1);
    if (group !== undefined && line.trim() !== '') readGroupLine(group, line);
  }
  const useful = groups.filter(
    ({ task, open, ticked }) => open + ticked.length > 0 || task.criteria.length > 0,
  );
  for (const group of useful) {
    const { task, explicit } = group;
    for (const text of group.ticked) {
      if (!isTicked(group)) addQuoted(task, `Done: ${text}`);
      else if (!readDetail(task, text)) task.steps.push(text);
    }

    if (explicit || task.files.length > 0) continue;
    const named = pathsIn([task.title, ...task.steps].join(' ')).map(({ path }) => path);
    task.files = [...new Set(named)].map((path) => ({ path }));
  }
  return useful;
}

function readGroupLine(group: Group, line: string): void {
  const { task } = group;
  const box = /^\s*[-*]\s*\[([\sxX])\]\s*(?:\d+(?:\.\d+)*\.?\s+)?(.*)$/s.exec(line);
  if (box !== null) {
    const text = oneLine(box[2] ?? '');
    if (/x/i.test(box[1] ?? '')) {
      group.ticked.push(text);
      return;
    }
    group.open += 1;
    if (!readDetail(task, text) && text !== '') task.steps.push(text);
    return;
  }
  const depends = /^Depends on:\s*(.*)$/is.exec(line.trim())?.[1];
  if (depends !== undefined) {
    group.explicit = true;
    for (const [digits] of depends.matchAll(/\d+/g)) task.dependsOn.push(Number(digits));
    return;
  }
  const text = unquoted(line);
  if (text !== undefined) addQuoted(task, text);
  else if (!readDetail(task, line.replace(/^\s*[-*]\s+/, ''))) addQuoted(task, line.trim());
}

const isTicked = ({ open, ticked }: Group) => open === 0 && ticked.length > 0;

/** Every scenario of the requirements a change adds or modifies, as one line. */
function scenariosOf({ capability, text }: { capability: string; text: string }): string[] {
  const found: string[] = [];
  let [kept, requirement, scenario] = [false, '', undefined as string[] | undefined];
  const finish = () => {
    if (scenario !== undefined && scenario.length > 0)
      found.push(`${capability}, ${requirement}: ${scenario.join(' ')}`);
    scenario = undefined;
  };
  for (const line of toLines(text)) {
    const section = /^##\s+(.+)$/s.exec(line)?.[1];
    const title = /^###\s+Requirement:\s*(.+)$/is.exec(line)?.[1];
    if (/^#{1,4}\s/.test(line)) finish();
    if (section !== undefined) kept = /^(?:ADDED|MODIFIED) Requirements/i.test(section);
    if (title !== undefined) requirement = oneLine(title);
    if (kept && /^####\s+Scenario:/i.test(line)) scenario = [];
    const clause = /^\s*[-*]\s+\*{0,2}(GIVEN|WHEN|THEN|AND)\*{0,2}:?\s+(.+)$/s.exec(line);
    if (clause !== null) scenario?.push(oneLine(`${clause[1]} ${clause[2]}`));
  }
  finish();
  return found;
}
