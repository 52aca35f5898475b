import { isRecord } from '../../base/safe-json.ts';

/** How to bring a session into a mode: the agent's own mode list, or a configuration option that stands for it. */
export type ModeChange = { by: 'mode'; modeId: string } | { by: 'option'; configId: string; value: string };

/** Modes that keep an agent from writing, the strongest first; the last asks before each tool, and we refuse. */
const readingModes: readonly RegExp[] = [/\bread[-_ ]?only\b/i, /(^|#|\b)plan$/i, /^(ask|approve|default)$/i];

/** The change that makes a session read-only, as far as the agent offers one. */
export function readOnlyMode(session: unknown): ModeChange | undefined {
  const choices = [...modesOf(session), ...optionsOf(session, 'mode')];
  for (const pattern of readingModes) {
    const found = choices.find(({ names }) => names.some((name) => pattern.test(name)));
    if (found !== undefined) return found.change;
  }
  return undefined;
}

/** The change that selects a model by id or name, where the agent lets itself be asked. */
export function modelOption(session: unknown, model: string): ModeChange | undefined {
  return optionsOf(session, 'model').find(({ names }) => names.includes(model))?.change;
}

type Choice = { names: string[]; change: ModeChange };

function modesOf(session: unknown): Choice[] {
  const modes = isRecord(session) && isRecord(session['modes']) ? session['modes']['availableModes'] : [];
  return records(modes).flatMap(({ id, name }) =>
    typeof id === 'string' ? [{ names: texts(id, name), change: { by: 'mode', modeId: id } }] : [],
  );
}

function optionsOf(session: unknown, category: string): Choice[] {
  const all = isRecord(session) ? records(session['configOptions']) : [];
  return all
    .filter((option) => option['category'] === category && option['type'] === 'select')
    .flatMap((option) =>
      records(option['options'])
        // Options may be grouped.
        .flatMap((entry) => (Array.isArray(entry['options']) ? records(entry['options']) : [entry]))
        .flatMap(({ value, name }): Choice[] =>
          typeof value === 'string' && typeof option['id'] === 'string'
            ? [{ names: texts(value, name), change: { by: 'option', configId: option['id'], value } }]
            : [],
        ),
    );
}

const records = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : []);
const texts = (...values: unknown[]) => values.filter((value) => typeof value === 'string');
