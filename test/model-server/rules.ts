import { CharretteError } from '../../src/base/errors.ts';
import { isRecord, parseJson } from '../../src/base/safe-json.ts';
import { recordOf } from './json.ts';
import { type Assignment, type Script, scriptIn } from './steps.ts';
import type { RequestView } from './view.ts';

/** When a prompt matches, the model follows this script. A function may decline by returning `undefined`. */
export type Rule = {
  when: RegExp;
  reply: Partial<Script> | ((prompt: string, view: RequestView) => Partial<Script> | undefined);
};

/** The latest prompt that a rule knows; among rules for the same prompt the first wins. */
export function ruleFor(rules: readonly Rule[], view: RequestView): Assignment | undefined {
  for (const [turn, { role, text }] of [...view.turns.entries()].reverse()) {
    if (role !== 'user') continue;
    for (const { when, reply } of rules) {
      if (text.search(when) < 0) continue;
      const script = typeof reply === 'function' ? reply(text, view) : reply;
      if (script !== undefined) return { script: { steps: [], ...script }, turn };
    }
  }
  return undefined;
}

/** Rules from a JSON file: `[{"when": "pattern", "say": "…" | "json": … | "script": "⟦read a⟧⟦say b⟧"}]`. */
export function readRules(text: string, source: string): Rule[] {
  const list = parseJson(text, source);
  if (!Array.isArray(list) || !list.every(isRecord)) throw wrongShape(source, 'it must be a list of objects');
  return list.map((entry, index) => {
    const { when, say, json, script } = recordOf(entry);
    if (typeof when !== 'string') throw wrongShape(source, `rule ${index + 1} has no "when"`);
    const scripted = typeof script === 'string' ? scriptIn(script) : undefined;
    return {
      when: new RegExp(when),
      reply: {
        ...scripted,
        ...(typeof say === 'string' ? { say } : {}),
        ...(json === undefined ? {} : { json }),
      },
    };
  });
}

function wrongShape(source: string, what: string): CharretteError {
  return new CharretteError({ code: 'json-invalid', message: `${source}: ${what}.` });
}
