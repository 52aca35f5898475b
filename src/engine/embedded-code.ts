import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8 from optimising the database's code. The compiler takes more time and memory for it than the queries of a run win
 * back; `node bench/store-code.ts` measures both.
 */
export function keepBaselineCode(): void {
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
}
