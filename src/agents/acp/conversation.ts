import type { ClientContext, InitializeResponse, NewSessionRequest } from '@agentclientprotocol/sdk';
import { isRecord } from '../../base/safe-json.ts';
import type { AgentTask } from '../port.ts';
import { authenticationRequired, codeOf, failureOfError, ResumeFailure } from './judge-turn.ts';

/** How to bring a session into a mode: the agent's own mode list, or a configuration option that stands for it. */
type ModeChange = { by: 'mode'; modeId: string } | { by: 'option'; configId: string; value: string };

/** Modes that keep an agent from writing, the strongest first; the last asks before each tool, and we refuse. */
const readingModes: readonly RegExp[] = [/\bread[-_ ]?only\b/i, /(^|#|\b)plan$/i, /^(ask|approve|default)$/i];

/** The change that makes a session read-only, as far as the agent offers one. */
function readOnlyMode(session: unknown): ModeChange | undefined {
  const choices = [...modesOf(session), ...optionsOf(session, 'mode')];
  for (const pattern of readingModes) {
    const found = choices.find(({ names }) => names.some((name) => pattern.test(name)));
    if (found !== undefined) return found.change;
  }
  return undefined;
}

/** The change that selects a model by id or name, where the agent lets itself be asked. */
function modelOption(session: unknown, model: string): ModeChange | undefined {
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

export type Opening = { task: AgentTask; directory: string; resume?: string; model?: string };

/** A session that is ready for its prompt. */
export type OpenSession = { session: string; agent: string; version?: string };

/** Brings a connection to the point where it can be prompted: handshake, session, mode, model. */
export async function openSession(agent: ClientContext, opening: Opening): Promise<OpenSession> {
  const { PROTOCOL_VERSION } = await import('@agentclientprotocol/sdk');
  const hello = await agent.request('initialize', {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'charrette', version: '1' },
  });
  const { session, facts } = await withLogin(agent, hello, () => enterSession(agent, hello, opening));
  if (opening.task.access === 'read') await change(agent, session, readOnlyMode(facts));
  if (opening.model !== undefined) await change(agent, session, modelOption(facts, opening.model));
  const { name = 'unknown', version } = hello.agentInfo ?? {};
  return { session, agent: name, ...(version === undefined ? {} : { version }) };
}

/** Claude's adapter takes its tool list from here; others ignore it. Without such tools nothing can be written. */
const readingTools = { claudeCode: { options: { tools: ['Read', 'Grep', 'Glob'] } } };

async function enterSession(
  agent: ClientContext,
  hello: InitializeResponse,
  opening: Opening,
): Promise<{ session: string; facts: unknown }> {
  const place: NewSessionRequest = {
    cwd: opening.directory,
    mcpServers: [],
    ...(opening.task.access === 'read' ? { _meta: readingTools } : {}),
  };
  if (opening.resume === undefined) {
    const facts = await agent.request('session/new', place);
    return { session: facts.sessionId, facts };
  }
  const session = opening.resume;
  const known = { ...place, sessionId: session };
  const canResume = isRecord(hello.agentCapabilities?.sessionCapabilities?.resume);
  const facts: unknown = await (canResume
    ? agent.request('session/resume', known)
    : agent.request('session/load', known)
  ).catch((error: unknown) => {
    if (codeOf(error) === authenticationRequired) throw error;
    throw new ResumeFailure(failureOfError(error).message);
  });
  return { session, facts };
}

/** Logs in when the agent asks for it, and only with a key: every other way would want a person. */
async function withLogin<Result>(
  agent: ClientContext,
  hello: InitializeResponse,
  enter: () => Promise<Result>,
): Promise<Result> {
  try {
    return await enter();
  } catch (error) {
    const method = hello.authMethods?.find(({ id }) => /api[-_]?key/i.test(id));
    if (codeOf(error) !== authenticationRequired || method === undefined) throw error;
    await agent.request('authenticate', { methodId: method.id });
    return enter();
  }
}

async function change(
  agent: ClientContext,
  sessionId: string,
  wanted: ModeChange | undefined,
): Promise<void> {
  if (wanted?.by === 'mode') await agent.request('session/set_mode', { sessionId, modeId: wanted.modeId });
  if (wanted?.by === 'option') {
    const { configId, value } = wanted;
    await agent.request('session/set_config_option', { sessionId, configId, value });
  }
}
