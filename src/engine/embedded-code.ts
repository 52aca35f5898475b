import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8 from optimising the database's code. One of its functions alone takes seconds of processor time and 600 MB in the
 * optimising compiler, which no run that a person waits for wins back; see docs/performance.md.
 */
export function keepBaselineCode(): void {
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
}
