// Every property is tried with the same values on every run, so that one commit has one verdict. CHARRETTE_SEED=NUMBER takes
// others, CHARRETTE_SEED=random new ones each time; a property that fails names its seed.
import fc from 'fast-check';

const asked = process.env['CHARRETTE_SEED'] ?? '20251116';

if (asked !== 'random') {
  const seed = Number(asked);
  if (!Number.isSafeInteger(seed))
    throw new Error(`CHARRETTE_SEED is ${JSON.stringify(asked)}; it takes a whole number or "random"`);
  fc.configureGlobal({ seed });
}
