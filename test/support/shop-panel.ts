import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeExampleRepository } from '../../scripts/example-repository.mjs';
import { taskOf } from '../agents/panel-answers.mjs';
import { shopAnswer } from '../agents/shop-answers.mjs';
import { clearAway } from '../clear-away.ts';
import { startModelServer } from '../model-server/server.ts';

const agentFile = path.resolve(import.meta.dirname, '..', 'agents', 'shop-agent.mjs');

/** The example shop with a panel of three: two models that tell what they used, one of them with a price, and a program that does not. */
export async function makeShop(options: { delayMs?: number } = {}): Promise<{
  project: string;
  close: () => Promise<void>;
}> {
  const { delayMs = 0 } = options;
  const folder = mkdtempSync(path.join(tmpdir(), 'charrette-shop-'));
  const project = path.join(folder, 'shop');
  makeExampleRepository(project);
  const servers = await Promise.all(
    ['alpha', 'beta'].map((voice) =>
      startModelServer({
        rules: [
          {
            when: /^## Answer$/m,
            reply: (prompt) => {
              const task = taskOf(prompt);
              const json = task === undefined ? undefined : shopAnswer(task, prompt, voice);
              const waiting = delayMs * (0.6 + ((prompt.length * 7) % 100) / 80);
              return json === undefined ? undefined : { json, delayMs: Math.round(waiting) };
            },
          },
        ],
      }),
    ),
  );
  const model = (index: number, name: string) => ({
    protocol: 'model',
    model: name,
    baseUrl: `${servers[index]?.url}/run/${name}/v1`,
    family: name,
  });
  const config = {
    detect: false,
    author: 'alpha',
    agents: {
      alpha: model(0, 'alpha-1'),
      beta: model(1, 'beta-1'),
      gamma: {
        protocol: 'exec',
        command: ['node', agentFile, 'gamma', String(Math.round(delayMs * 1.3))],
        family: 'gamma',
      },
    },
    prices: { 'alpha-1': { input: 3, cachedInput: 0.3, output: 15 } },
  };
  mkdirSync(path.join(project, '.charrette'), { recursive: true });
  writeFileSync(path.join(project, '.charrette', '.gitignore'), '*\n');
  writeFileSync(path.join(project, '.charrette', 'config.json'), JSON.stringify(config));
  return {
    project,
    async close() {
      await Promise.all(servers.map((server) => server.close()));
      clearAway(folder);
    },
  };
}
