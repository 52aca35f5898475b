import { describe, expect, test } from 'vitest';
import { agentPrograms } from '../../agents/registry.ts';
import { startsAgents } from './guards.ts';

const paid = [
  'claude -p hi',
  '/usr/local/bin/claude -p hi',
  './node_modules/.bin/codex exec x',
  'copilot -p x',
  'pi -p hi',
  'goose run',
  'cursor-agent -p x',
  'cd x && claude -p hi',
  'true; qwen -p x',
  'cat plan.md | gemini -p -',
  'cat plan.md |gemini',
  '(grok -p x)',
  'sleep 1 & opencode run x',
  'echo "$(claude -p hi)"',
  'answer=`claude -p hi`',
  'answer=$(claude -p hi)',
  'A=1 B="2 3" claude -p hi',
  'env -u HOME A=1 claude -p hi',
  'sudo -u me nice -n 10 claude -p hi',
  'timeout -k 5 10m claude -p hi',
  'npx -y @openai/codex@latest exec x',
  'npm exec -- codex',
  'git ls-files | xargs -n 1 claude -p',
  'if true; then claude -p hi; fi',
  '! claude -p hi',
  '{ claude -p hi; }',
  `bash -lc 'cd x; claude -p hi'`,
  `sh -c "sudo sh -c 'claude -p hi'"`,
  'eval "claude -p hi"',
  '> log claude -p hi',
  'claude>log',
  'git log --author me\nclaude -p hi',
  'charrette design "more"',
  'charrette --json design x',
  'charrette -q lite-plan x',
  'charrette build --run latest',
  'charrette --cwd ../shop --output json lite-execute x',
  'npx charrette@latest refine x',
  'node bin/charrette resume latest',
  'charrette answer latest scope=api',
  'charrette feature design',
  'charrette skill --json run x',
];

const free = [
  '',
  'npm test',
  'npm run claude',
  'grep -n gemini README.md',
  'git log --author claude',
  'git commit -m "fix; claude is great" && git push',
  "git commit -m 'let (codex) go'",
  'echo "a | claude"',
  'cat claude.md > codex',
  'which claude',
  'command -v claude',
  'ls # claude -p hi',
  "cat > notes.md <<'EOF'\nclaude -p hi\nEOF\nls",
  'agents=(claude codex); echo "$agents"',
  'pip install x',
  'claude-notes --list',
  'charrette show latest',
  'charrette runs',
  'charrette --cwd design show',
  'charrette feature status',
  'charrette skill lint --all skills',
  'charrette plan check',
  'echo charrette design x',
  'constructor',
];

describe('a session without budget', () => {
  test.each(paid)('does not start %j', (line) => expect(startsAgents(line, agentPrograms)).toBe(true));
  test.each(free)('may do %j', (line) => expect(startsAgents(line, agentPrograms)).toBe(false));
});

test('every agent that has a driver counts', () => {
  expect([...agentPrograms].sort()).toEqual(
    expect.arrayContaining([
      'claude',
      'codex',
      'copilot',
      'cursor-agent',
      'gemini',
      'goose',
      'grok',
      'opencode',
      'pi',
      'qwen',
    ]),
  );
});
