import { type LiveProgram, startCharrette } from './live-program.ts';

/** `charrette serve` as its own process, on a free port. */
export async function startServe(
  project: string,
  env: Record<string, string> = {},
): Promise<{ url: string; origin: string; live: LiveProgram }> {
  const live = startCharrette(['serve', '--port', '0'], { cwd: project, env });
  await live.says('Serving');
  const url = live.stdout().trim();
  return { url, origin: new URL(url).origin, live };
}
