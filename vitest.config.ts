import { defineConfig } from 'vitest/config';

const pure = ['base', 'prompts', 'plan', 'council', 'skills'];
const edge = ['engine', 'repo', 'agents', 'workflows', 'service', 'surfaces', 'main'];
const fuzz = 'src/**/*.fuzz.test.ts';
const tests = (folders: string[]) => folders.map((folder) => `src/${folder}/**/*.test.ts`);

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
    testTimeout: 90_000,
    // Only what hangs for good shall fail by the clock: suites run beside each other on few cores.
    hookTimeout: 300_000,
    // Removing the scratch folder gets 30 s; a runner that does not end by itself must not keep you waiting.
    teardownTimeout: 60_000,
    projects: [
      {
        extends: true,
        // Threads that share their modules: no test here writes to the environment or the working directory.
        test: { name: 'pure', include: tests(pure), exclude: [fuzz], pool: 'threads', isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'edge',
          include: [...tests(edge), 'src/*.test.ts', 'web/src/**/*.test.ts'],
          exclude: [fuzz],
        },
      },
      {
        extends: true,
        // The program as users run it.
        test: { name: 'system', include: ['test/system/**/*.test.ts'], testTimeout: 240_000 },
      },
      // Hostile and random texts in numbers; `npm run test:whole`.
      { extends: true, test: { name: 'fuzz', include: [fuzz], testTimeout: 120_000 } },
      {
        extends: true,
        // The scripts of this repository; `npm run test:whole`.
        test: { name: 'scripts', include: ['test/scripts/**/*.test.ts'], testTimeout: 240_000 },
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
