// An agent for the `exec` protocol that does something wrong: `node misbehaving-agent.mjs <mode>`.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const [mode, marker] = process.argv.slice(2);
const prompt = readFileSync(0, 'utf8');
const forever = () => setInterval(() => {}, 1000);

const modes = {
  hangs: forever,
  floods: () => {
    const chunk = 'x'.repeat(1 << 20);
    const write = () => {
      while (process.stdout.write(chunk));
      process.stdout.once('drain', write);
    };
    write();
  },
  garbles: () => process.stdout.write('\u001b[2J\u0000{"approach": [[[ ]] }}} \ud800 not json'),
  'edits-the-tree': () => {
    writeFileSync('README.md', 'edited by an agent\n');
    process.stdout.write('done\n');
  },
  'forks-children': () => {
    spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', marker], {
      detached: true,
      stdio: 'ignore',
    }).unref();
    forever();
  },
  dies: () => process.kill(process.pid, 'SIGKILL'),
  'answers-in-another-language': () =>
    process.stdout.write('申し訳ありませんが、この件についてはお答えできません。'),
  'echoes-the-prompt': () => process.stdout.write(prompt),
  'claims-success-with-nothing': () => process.stdout.write(''),
};

modes[mode]();
