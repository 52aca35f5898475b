/** What every wire format is reduced to before the script decides, and what it decides. */

export type Turn = { role: 'user' | 'assistant' | 'tool' | 'system'; text: string };

export type OfferedTool = {
  name: string;
  /** JSON Schema of the arguments. */
  schema: Record<string, unknown>;
  /** Takes free text instead of JSON arguments. */
  freeForm: boolean;
  /** OpenAI groups tools; the group's name must come back with the call. */
  group?: string;
};

export type RequestView = {
  turns: Turn[];
  tools: OfferedTool[];
  stream: boolean;
  model: string;
};

export type ToolCall = { id: string; tool: OfferedTool; input: Record<string, unknown> | string };

export type Reply = { text: string; call?: ToolCall; delayMs?: number };

export type UsageFigures = { inputTokens: number; cachedInputTokens: number; outputTokens: number };

export type ReplyContext = { model: string; usage: UsageFigures; newId: (prefix: string) => string };

/** A vendor's error body for one fault. */
export type WireError = { status: number; type: string; code: string; message: string };

/** One wire format: how to read its requests and write its answers. */
export type Wire = {
  name: 'anthropic' | 'responses' | 'chat' | 'gemini';
  path: RegExp;
  read(body: Record<string, unknown>, path: string): RequestView;
  whole(reply: Reply, context: ReplyContext): Record<string, unknown>;
  /** The same answer as server-sent events, in order. */
  events(reply: Reply, context: ReplyContext): string[];
  error(error: WireError): Record<string, unknown>;
  tooLong: WireError;
};
