import { lineAt } from '../../base/markdown/document.ts';
import { occurrences, summarised } from '../lint/occurrences.ts';
import { at, type Draft, type Rule } from '../lint/rule.ts';
import { findCalls } from '../model/calls.ts';

const shellLanguages = new Set(['bash', 'sh', 'shell', 'zsh', 'console', 'powershell']);

const limits = {
  skillLines: 500,
  promptLines: 15,
  shellLines: 10,
  fewestPhases: 3,
  mostPhases: 7,
} as const;

export const structureRules: readonly Rule[] = [
  {
    id: 'ST001',
    severity: 'error',
    summary: 'SKILL.md exists.',
    why: 'Without it the folder holds loose files, not a skill.',
    hint: 'Add SKILL.md (that exact spelling) at the top of the package.',
    bad: 'only phases/ present',
    check: ({ skill, files }) => {
      if (skill !== undefined || files.unreadable.some(({ path }) => path === 'SKILL.md')) return [];
      const near = [...files.listing].find((path) => path.toLowerCase() === 'skill.md');
      const only = near === 'SKILL.md' ? 'a folder of that name' : near;
      const message = only === undefined ? 'There is no SKILL.md.' : `There is no SKILL.md, only ${only}.`;
      return [{ file: 'SKILL.md', line: 0, message }];
    },
  },
  {
    id: 'ST002',
    severity: 'error',
    in: { single: 'info' },
    summary: 'Phase files are called NN-slug.md.',
    why: 'Order and references are read off the name.',
    hint: 'Use two digits, a hyphen and a kebab-case slug; `charrette skill sync --renumber` renames and rewrites references.',
    bad: 'phases/1_plan.md',
    check: ({ phases }) =>
      phases
        .filter(({ wellNamed }) => !wellNamed)
        .map(({ document, file }) => at(document, 0, `${file} is not named NN-slug.md.`)),
  },
  {
    id: 'ST003',
    severity: 'error',
    in: { single: 'info' },
    summary: 'Phase numbers start at 01, without gaps or doubles.',
    why: 'A gap reads as a lost phase, a double leaves the order open.',
    hint: 'Renumber with `charrette skill sync --renumber`.',
    bad: '01-a.md, 03-b.md',
    check: ({ phases }) => {
      const numbered = phases.filter((phase) => phase.number !== undefined && Number.isInteger(phase.number));
      const drafts: Draft[] = [];
      let expected = 1;
      const seen = new Map<number, string>();
      for (const { document, file, number = 0 } of numbered) {
        const double = seen.get(number);
        if (double !== undefined) drafts.push(at(document, 0, `${file} has the number of ${double}.`));
        else if (number !== expected) {
          drafts.push(
            at(document, 0, `${file} follows where number ${String(expected).padStart(2, '0')} should be.`),
          );
        }
        seen.set(number, file);
        expected = number + 1;
      }
      return drafts;
    },
  },
  {
    id: 'ST004',
    severity: 'error',
    in: { single: 'info' },
    summary: 'A phase file begins with "# Phase N: Name", N being the number in its file name.',
    why: 'The heading is what the model sees when it re-reads the file; another number sends it to the wrong place.',
    hint: 'Write the heading as # Phase N: Name with the number of the file.',
    bad: '05-cycle.md starts # Phase 2: Test Cycle',
    check: ({ phases }) =>
      phases.flatMap(({ document, file, number, title, titleNumber }) => {
        if (number === undefined) return [];
        if (title === undefined) return [at(document, 0, `${file} has no H1.`)];
        if (titleNumber === undefined)
          return [
            at(document, title.line, `The H1 "${title.title.slice(0, 80)}" is not "Phase ${number}: Name".`),
          ];
        return titleNumber === number
          ? []
          : [at(document, title.line, `The H1 says Phase ${titleNumber}, the file name ${number}.`)];
      }),
  },
  {
    id: 'ST005',
    severity: 'warning',
    in: { single: 'info' },
    summary: 'A file has exactly one H1.',
    why: 'A second H1 in the middle is usually the head of another document that was pasted in.',
    hint: 'Lower the further H1s to H2.',
    bad: 'a second "# Multi-CLI … Command" in the middle',
    check: ({ documents }) =>
      documents.flatMap((document) => {
        const [, ...more] = document.headings.filter(({ level }) => level === 1);
        const [second] = more;
        return second === undefined
          ? []
          : [at(document, second.line, `There are ${more.length + 1} H1 headings.`)];
      }),
  },
  {
    id: 'ST006',
    severity: 'info',
    in: { single: 'off', router: 'off' },
    summary: 'A workflow has three to seven phases.',
    why: 'Fewer rarely need a coordinator, more are hard to keep apart.',
    hint: 'Merge or split phases if it helps; nothing is refused.',
    bad: '11 phase files',
    check: ({ phases }) =>
      phases.length > 0 && (phases.length < limits.fewestPhases || phases.length > limits.mostPhases)
        ? [{ file: 'SKILL.md', line: 0, message: `There are ${phases.length} phases.` }]
        : [],
  },
  {
    id: 'ST007',
    severity: 'warning',
    summary: 'SKILL.md has at most 500 lines.',
    why: 'All of it is loaded whenever the skill is; detail belongs in files that are read when needed.',
    hint: 'Move detail into phase or reference files.',
    bad: 'a SKILL.md of 682 lines',
    check: ({ skill }) => {
      const lines = skill?.document.lineStarts.length ?? 0;
      return skill !== undefined && lines > limits.skillLines
        ? [at(skill.document, limits.skillLines, `SKILL.md has ${lines} lines.`)]
        : [];
    },
  },
  {
    id: 'ST008',
    severity: 'warning',
    in: { single: 'off' },
    fence: 'fences',
    summary: 'A coordinator holds no heavy execution detail: prompts over 15 lines, shell blocks over 10.',
    why: 'Detail in the coordinator is in context in every phase and lost in the one that needs it.',
    hint: 'Move the block into the phase file that runs it.',
    bad: 'a 60-line Task({prompt: …}) in SKILL.md',
    check: ({ skill }) => {
      if (skill === undefined) return [];
      const { document } = skill;
      const prompts = findCalls(document.text, ['Task', 'Agent'])
        .map(({ start, bodyEnd }) => [lineAt(document, start), lineAt(document, bodyEnd)] as const)
        .filter(([from, to]) => to - from + 1 > limits.promptLines)
        .map(([from, to]) =>
          at(document, from, `An agent call of ${to - from + 1} lines stands in SKILL.md.`),
        );
      const shells = document.fences
        .filter(({ language }) => shellLanguages.has(language))
        .map((fence) => [fence, fence.closeLine - fence.openLine - 1] as const)
        .filter(([, lines]) => lines > limits.shellLines)
        .map(([fence, lines]) =>
          at(document, fence.openLine, `A shell block of ${lines} lines stands in SKILL.md.`),
        );
      return [...prompts, ...shells];
    },
  },
  {
    id: 'ST009',
    severity: 'warning',
    summary: 'Stages inside a phase do not reuse the "Phase N" numbering of the skill.',
    why: 'After compaction "Phase 2" then means two things.',
    hint: 'Call inner stages Step N.k or Stage.',
    bad: '### Phase 2: Clarification inside 01-lite-plan.md',
    check: ({ phases }) =>
      phases.flatMap(({ document, title }) => {
        const inner = document.headings.filter(
          (heading) =>
            heading !== title &&
            heading.level > 1 &&
            /^\W*phase\s+\d+(?:\.\d+)?\s*[:：—–-]/iu.test(heading.title),
        );
        const [first] = inner;
        if (first === undefined) return [];
        const more = inner.length > 1 ? ` and ${inner.length - 1} more` : '';
        return [
          at(
            document,
            first.line,
            `The heading "${first.title.slice(0, 60)}"${more} numbers an inner stage as a phase.`,
          ),
        ];
      }),
  },
  {
    id: 'ST010',
    severity: 'warning',
    fence: 'prose',
    summary: 'No unresolved placeholders.',
    why: 'A TODO left in a phase is an instruction the model will improvise.',
    hint: 'Write the missing text or delete the line.',
    bad: 'TODO: Add execution detail for Review',
    check: ({ documents }) =>
      documents.flatMap((document) => {
        if (!/TODO|TBD|FIXME/.test(document.text)) return [];
        const pattern =
          /(?:^|\n)[ \t]*(?:[-*+>][ \t]+|\d+\.[ \t]+)?(?:\*\*)?\[?(?:TODO|TBD|FIXME)(?:\*\*)?(?:[:：(]|\][^(]|\s*$)|\[(?:TODO|TBD)[:：\]]/gm;
        return summarised(document, occurrences(document, pattern, 'prose'), 'A placeholder is left');
      }),
  },
];

/** Findings about suppressions themselves; the engine makes them, because only it knows what was used. */
export const suppressionRules: readonly Rule[] = [
  {
    id: 'SU001',
    severity: 'warning',
    summary: 'A suppression says why.',
    why: 'Without a reason no one dares to remove it. It does not take effect.',
    hint: 'Write <!-- lint-disable ID reason -->.',
    bad: '<!-- lint-disable HY001 -->',
    check: () => [],
  },
  {
    id: 'SU002',
    severity: 'warning',
    summary: 'A suppression names rules that exist.',
    why: 'A misspelt id suppresses nothing.',
    hint: 'Use an id from `charrette skill explain`.',
    bad: '<!-- lint-disable HY999 reason -->',
    check: () => [],
  },
  {
    id: 'SU003',
    severity: 'info',
    summary: 'A suppression suppresses something.',
    why: 'A leftover hides the next real finding.',
    hint: 'Remove it.',
    bad: 'a suppression above text that was corrected',
    check: () => [],
  },
];
