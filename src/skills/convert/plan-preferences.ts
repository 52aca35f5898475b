import type { QuestionConfig } from '../config/workflow-config.ts';
import { parseDocument } from '../document/parse.ts';
import type { SectionOverrides } from '../generate/skill-markdown.ts';
import { readPreferencePaths, readPreferenceUses } from '../model/preferences.ts';
import type { Coordinator } from './sections.ts';

type PreferencePlan = {
  hasAutoMode: boolean;
  questions: QuestionConfig[];
  /** The section as the source has it, with the keys that it leaves open. */
  section: SectionOverrides;
};

const name = 'Interactive Preference Collection';

/**
 * S-016, S-066: every key that a phase reads is set in SKILL.md. Preferences that the source collects itself stay as they are;
 * keys that they leave open are set below them. Else questions are made.
 */
export function planPreferences(
  { introduction, overrides, additions, rest }: Coordinator,
  phases: readonly string[],
  flags: readonly string[],
): PreferencePlan {
  const kept = [introduction, ...Object.values(overrides), ...Object.values(additions), ...rest].join('\n\n');
  const document = parseDocument('SKILL.md', kept);
  const paths = readPreferencePaths(document);
  const written = readPreferenceUses(document).writes.map(({ key }) => key);
  const read = phases.flatMap((text) =>
    readPreferenceUses(parseDocument('phase.md', text)).reads.map(({ key }) => key),
  );
  const wanted = [...new Set([...flags, ...read])];
  const own = overrides[name];
  if (paths.length + written.length === 0 && own === undefined)
    return {
      hasAutoMode: true,
      questions: wanted.filter((key) => key !== 'autoYes').map(questionFor),
      section: {},
    };
  const isSet = (key: string) =>
    written.includes(key) ||
    (paths.length > 0 && paths.every(({ keys, spreads }) => spreads || keys.includes(key)));
  const open = wanted.filter((key) => !isSet(key));
  const parts = [own ?? 'The text below says where `workflowPreferences` is set.', ...openKeys(open)];
  return { hasAutoMode: wanted.includes('autoYes'), questions: [], section: { [name]: parts.join('\n\n') } };
}

function openKeys(keys: readonly string[]): string[] {
  if (keys.length === 0) return [];
  const lines = keys.map((key) => `workflowPreferences.${key} = flags.${key} === true`);
  return [
    `Phases read these too; the flag of the same name sets each:\n\n\`\`\`javascript\n${lines.join('\n')}\n\`\`\``,
  ];
}

function questionFor(key: string): QuestionConfig {
  const words = key.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  const header = words.slice(0, 1).toUpperCase() + words.slice(1);
  return {
    key,
    question: `Switch on ${words}?`,
    header: header.length <= 12 ? header : header.slice(0, 12).trim(),
    options: [
      { label: 'No (Recommended)', description: `Without ${words}` },
      { label: 'Yes', description: `With ${words}` },
    ],
    activeValue: 'Yes',
  };
}
