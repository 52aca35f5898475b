import { type ErrorCode, type ExitCode, errorTable } from './error-table.ts';

const marker = Symbol.for('charrette.error');

export type ErrorDetails = {
  code: ErrorCode;
  /** The value found and the values available, in one or two sentences. */
  message: string;
  /** What the user can do about it, as one sentence; default: the usual fix of this code. */
  fix?: string;
  retryable?: boolean;
  cause?: unknown;
};

/** An error with a stable code that every surface can render and turn into an exit code. */
export class CharretteError extends Error {
  readonly [marker] = true;
  readonly code: ErrorCode;
  readonly fix: string;
  readonly retryable: boolean | undefined;

  constructor({ code, message, fix, retryable, cause }: ErrorDetails) {
    super(message, { cause });
    this.name = 'CharretteError';
    this.code = code;
    this.fix = fix ?? errorTable[code].fix;
    this.retryable = retryable;
  }
}

/** Recognises our errors across bundles, where `instanceof` would miss them. */
export function isCharretteError(value: unknown): value is CharretteError {
  return typeof value === 'object' && value !== null && marker in value;
}

/** Converts any thrown value to a CharretteError; unforeseen errors become `internal`. */
export function toCharretteError(value: unknown): CharretteError {
  if (isCharretteError(value)) return value;
  const message = value instanceof Error ? value.message : String(value);
  return new CharretteError({
    code: systemCode(value) ?? 'internal',
    message,
    cause: value,
  });
}

export function exitCodeOf(error: CharretteError): ExitCode {
  return errorTable[error.code].exit;
}

function systemCode(value: unknown): ErrorCode | undefined {
  const given = typeof value === 'object' && value !== null && 'code' in value ? value.code : undefined;
  const words = value instanceof Error ? value.message : '';
  // An error that went through the journal keeps its words, not its code.
  const code = given ?? /^E[A-Z]+(?=: )/.exec(words)?.[0];
  // rmSync of Node.js 24 has no code for this one.
  if (code === '' && words.includes('Read-only file system')) return 'permission-denied';
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'disk-full';
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'permission-denied';
  return undefined;
}

/** Whether a text is one of our codes, for errors that were written to a file and are read back. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorTable, text);
}
