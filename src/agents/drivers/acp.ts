import path from 'node:path';
import type { Login } from '../private-home.ts';
import type { AgentSettings } from '../settings.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { cursor } from './cursor.ts';
import type { Driver } from './driver.ts';
import { providerKeys } from './driver.ts';
import { gemini } from './gemini.ts';
import { goose } from './goose.ts';
import { grok } from './grok.ts';
import { opencode } from './opencode.ts';
import { qwen } from './qwen.ts';

/** The same agents in their other language, by the name of the program or npm package: they share their login. */
const relatives: readonly (readonly [RegExp, Driver])[] = [
  [/^claude(-agent|-code)?-acp$/, claude],
  [/^codex-acp$/, codex],
  [/^copilot$/, copilot],
  [/^(cursor-agent|agent)$/, cursor],
  [/^gemini(-cli)?$/, gemini],
  [/^goose(-acp)?$/, goose],
  [/^grok$/, grok],
  [/^opencode(-ai)?$/, opencode],
  [/^qwen(-code)?$/, qwen],
];

const anyKey: Login = { files: [], variables: providerKeys };

/**
 * Any agent that speaks the Agent Client Protocol. Agents tell failures badly over it, some as their answer, so only an
 * answer that fits a schema counts.
 */
export function acp(settings: Pick<AgentSettings, 'command' | 'id'>): Driver {
  const names = (settings.command ?? []).flatMap(namesIn);
  const relative = relatives.find(([name]) => names.some((word) => name.test(word)))?.[1];
  return {
    title: relative === undefined ? settings.id : `${relative.title} (ACP)`,
    family: relative?.family ?? 'other',
    programs: [],
    natives: [],
    versionArguments: [],
    capabilities: {
      write: true,
      schema: false,
      resume: true,
      fork: false,
      usage: false,
      trust: 'schema-only',
    },
    login: relative?.login ?? anyKey,
    build: ({ program }) => ({ argv: program, environment: {}, files: {}, stdin: '' }),
    parse: () => [],
    async converse({ request, context, start }) {
      const { exchange } = await import('../acp/exchange.ts');
      const { task, directory, jailed, resume, settings: chosen } = request;
      return exchange({
        task,
        directory,
        jailed,
        context,
        start,
        prompt: task.prompt,
        ...(resume === undefined ? {} : { resume: resume.session }),
        ...(chosen.model === undefined ? {} : { model: chosen.model }),
      });
    },
  };
}

/** What a word of the command may be called: its file name, and the package it was installed from. */
function namesIn(word: string): string[] {
  const modules = word.split('/node_modules/');
  const inPackage = modules.length > 1 ? (modules.at(-1) ?? '').split('/').slice(0, 2) : [];
  return [path.basename(word), ...inPackage];
}
