import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globals: false,
    pool: 'forks',
    // Twice the cores of a small machine: the tests of whole programs wait about half of their time.
    maxWorkers: 4,
    globalSetup: ['test/scratch.ts'],
    setupFiles: ['test/setup.ts'],
    // The default of a second is nothing on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 30_000,
    // Only what hangs for good shall fail by the clock: suites run beside each other on few cores.
    hookTimeout: 300_000,
    teardownTimeout: 300_000,
    projects: [
      { extends: true, test: { name: 'unit', include: ['src/**/*.test.ts', 'web/src/**/*.test.ts'] } },
      {
        extends: true,
        test: { name: 'system', include: ['test/system/**/*.test.ts'], testTimeout: 240_000 },
      },
      {
        extends: true,
        // Whole workflows with the built program: minutes, so not in `npm test`.
        test: { name: 'whole', include: ['test/whole/**/*.test.ts'], testTimeout: 300_000 },
      },
      {
        extends: true,
        // One file after another: the suites start programs of their own and share two cores.
        test: {
          name: 'slow',
          include: ['test/slow/**/*.test.ts'],
          testTimeout: 900_000,
          hookTimeout: 900_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
