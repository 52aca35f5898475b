/** Linux takes at most 128 KiB in one argument; longer things go through files or are left to the prompt. */
export const longestArgument = 100_000;

/** A TOML basic string. Drivers write configuration values, never raw text, into such files. */
export function tomlString(text: string): string {
  return JSON.stringify(text).replace(/\u007f/g, '\\u007f');
}

/** The name of the first of these variables that is set: files name keys, they never hold them. */
export function keyNameFor(
  variables: Readonly<Record<string, string>>,
  names: readonly string[],
): string | undefined {
  return names.find((name) => variables[name] !== undefined);
}

/** Keys of the common providers; agents that serve many of them may see these. */
export const providerKeys = [
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENROUTER_API_KEY',
  'XAI_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
  'DEEPSEEK_API_KEY',
] as const;
