import type { LanguageModel } from 'ai';
import { CharretteError } from '../../base/errors.ts';

export const providers = ['anthropic', 'openai', 'google', 'compatible'] as const;
export type Provider = (typeof providers)[number];

/** Which provider serves a model, where, and with which key. */
export type ModelChoice = { provider: Provider; model: string; baseUrl: string; apiKey?: string };

type ProviderRow = {
  title: string;
  family: string;
  baseUrl?: string;
  /** Variables that may hold the key, first one wins. */
  keys: readonly string[];
  /** Model names that can only be this provider's. */
  names?: RegExp;
  /** The longest answer to ask for where the provider wants a number; models with less get theirs from the SDK. */
  outputTokens?: number;
};

/** `compatible` is every server that speaks Chat Completions: Ollama, LM Studio, vLLM, gateways. */
export const providerTable: Readonly<Record<Provider, ProviderRow>> = {
  anthropic: {
    title: 'Anthropic',
    family: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    keys: ['ANTHROPIC_API_KEY'],
    names: /^claude/,
    outputTokens: 32_000,
  },
  openai: {
    title: 'OpenAI',
    family: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    keys: ['OPENAI_API_KEY'],
    names: /^(gpt-|o\d)/,
  },
  google: {
    title: 'Google',
    family: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keys: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY'],
    names: /^gemini/,
  },
  compatible: { title: 'OpenAI-compatible', family: 'other', keys: ['CHARRETTE_MODEL_API_KEY'] },
};

export type ModelSettings = {
  id: string;
  /** A name (`claude-sonnet-4-5`, `qwen3:8b`), or `provider:name` with one of `providers`. */
  model?: string;
  baseUrl?: string;
  env?: Readonly<Record<string, string>>;
};

/** Finds provider, address and key. A key from the environment only ever goes to the vendor it belongs to or to the address that was configured with that vendor's name. */
export function chooseModel(
  { id, model, baseUrl, env = {} }: ModelSettings,
  environment: Readonly<Record<string, string | undefined>>,
): ModelChoice {
  if (model === undefined || model === '') throw wrong(id, 'it has no model');
  const [prefix = '', ...rest] = model.split(':');
  const named = providers.find((candidate) => candidate === prefix && rest.length > 0);
  const guessed = providers.find((candidate) => providerTable[candidate].names?.test(model));
  const provider = named ?? (baseUrl === undefined ? guessed : 'compatible');
  if (provider === undefined) throw wrong(id, `nothing says who serves the model ${JSON.stringify(model)}`);
  const row = providerTable[provider];
  const address = baseUrl ?? row.baseUrl;
  if (address === undefined) throw wrong(id, 'it has no baseUrl');
  const apiKey = row.keys
    .map((key) => env[key] ?? environment[key])
    .find((value) => value !== undefined && value !== '');
  return {
    provider,
    model: named === undefined ? model : rest.join(':'),
    baseUrl: address.replace(/\/+$/, ''),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
}

/** The model itself; only the one provider that is needed gets loaded. Nothing is read from the process environment. */
export async function loadModel(
  { provider, model, baseUrl, apiKey }: ModelChoice,
  fetch: typeof globalThis.fetch,
): Promise<LanguageModel> {
  const options = { baseURL: baseUrl, apiKey: apiKey ?? '', fetch };
  switch (provider) {
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(options)(model);
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(options)(model);
    case 'google':
      return (await import('@ai-sdk/google')).createGoogle(options)(model);
    case 'compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const key = apiKey === undefined ? {} : { apiKey };
      const { apiKey: _, ...open } = options;
      return createOpenAICompatible({ name: 'compatible', includeUsage: true, ...open, ...key })(model);
    }
  }
}

function wrong(id: string, what: string): CharretteError {
  return new CharretteError({
    code: 'config-invalid',
    message: `The agent ${id} cannot reach a model: ${what}.`,
    fix: `Set "model" to a name with one of ${providers.map((name) => `${name}:`).join(', ')} in front, and "baseUrl" for a server of your own.`,
  });
}
