import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isInside } from '../../../src/base/files/bounded.ts';
import { isRecord, readJson } from '../../../src/base/safe-json.ts';
import { homeOf, runDirectoryOf } from '../../../src/engine/run-directory.ts';
import { openProject } from '../../../src/service/project.ts';
import { featureText } from '../../../src/surfaces/acp/agent.ts';
import { readHookInput } from '../../../src/surfaces/hosts/events.ts';
import { readTranscript } from '../../../src/surfaces/hosts/transcript.ts';
import { projectPath, uriOf } from '../../../src/surfaces/mcp/pages.ts';
import { cookieName, refuseHost, refuseOrigin, refuseUnauthorized } from '../../../src/surfaces/web/guard.ts';
import { answerRoute } from '../../../src/surfaces/web/routes.ts';
import { holds, same, type Target } from '../target.ts';

const place = mkdtempSync(path.join(tmpdir(), 'charrette-fuzz-'));
process.on('exit', () => rmSync(place, { recursive: true, force: true }));
const project = path.join(place, 'project');
mkdirSync(path.join(project, '.git'), { recursive: true });
writeFileSync(path.join(place, 'secret.txt'), 'top secret');
const home = homeOf(project);
const run = runDirectoryOf(home, 'run-1');
mkdirSync(run.artifacts, { recursive: true });
mkdirSync(run.inbox, { recursive: true });
writeFileSync(path.join(run.artifacts, 'plan.txt'), 'the plan');
writeFileSync(run.events, '{"id":"1","seq":1,"type":"note"}\n{"id":"2","seq":2,"type":"note"}\n');
writeFileSync(
  run.record,
  JSON.stringify({
    schemaVersion: 1,
    run: 'run-1',
    workflow: 'design',
    status: 'done',
    title: 't',
    created: '2026-01-01T00:00:00Z',
    codeVersion: '1',
    inputs: {},
  }),
);

const house = {
  token: 'a-token-of-the-house',
  port: 4711,
  hosts: ['127.0.0.1', 'localhost'],
  names: ['build.example'],
};

export const surfaces: readonly Target[] = [
  {
    name: 'http-requests',
    reads: 'requests to `charrette serve`: lines as they come over the wire',
    seeds: [
      'GET /api/runs/run-1/artifacts/plan.txt\nhost: 127.0.0.1:4711\nauthorization: Bearer x\n',
      'POST /api/runs/run-1/answers\nhost: localhost:4711\norigin: http://localhost:4711\ncontent-type: application/json\ncookie: charrette-4711=x; a=b\n\n{"answers":{"q":"a"}}',
      'POST /api/runs/run-1/cancel\nhost: build.example\norigin: https://build.example:8443\ncontent-type: application/json\n\n{}',
      'GET /api/runs/run-1/events?after=1\nhost: [::1]:4711',
      'GET /api/runs/run-1/stream?after=99999999999\nlast-event-id: 3',
      'GET /api/runs/run-1/source?path=../x&line=3',
      'GET /api/runs/run-1/lanes/..%2f..%2frun.json',
    ],
    async run(text) {
      const [head = '', body = ''] = text.split('\n\n', 2);
      const [first = '', ...rows] = head.split('\n');
      const headers = new Map(
        rows.map((row) => [
          row.slice(0, row.indexOf(':')).toLowerCase(),
          row.slice(row.indexOf(':') + 1).trim(),
        ]),
      );
      const [method = '', target = ''] = first.split(' ');
      const address = URL.canParse(target, 'http://localhost')
        ? new URL(target, 'http://localhost')
        : undefined;
      const approach = {
        method,
        host: headers.get('host'),
        origin: headers.get('origin'),
        fetchSite: headers.get('sec-fetch-site'),
        cookie: headers.get('cookie'),
        authorization: headers.get('authorization'),
        contentType: headers.get('content-type'),
        query: address?.searchParams.get('token') ?? undefined,
      };
      holds(
        text.includes(house.token) || refuseUnauthorized(approach, house) !== undefined,
        'no request is admitted without the token',
      );
      if (refuseHost(approach, house) === undefined)
        holds(
          /^(?:(?:127\.0\.0\.1|localhost):0*4711|build\.example(?::\d+)?)$/i.test(approach.host ?? ''),
          'only names of the house',
        );
      if (refuseOrigin(approach, house) === undefined)
        holds(
          approach.origin === undefined ||
            /^(?:http:\/\/(?:127\.0\.0\.1|localhost|build\.example):4711|https:\/\/build\.example(?::\d+)?)$/i.test(
              approach.origin,
            ),
          'only origins of the house',
        );
      if (address === undefined) return;
      holds(cookieName(house.port) !== '', 'a cookie has a name');
      const opened = openProject(project, { env: {}, program: ['/bin/false'] });
      const reply = await answerRoute(
        { project: opened, prices: undefined, commands: {} },
        method,
        address.pathname,
        {
          query: address.searchParams,
          lastEventId: headers.get('last-event-id'),
          body: async () => {
            const reading = readJson(body, 1_000_000);
            return reading.ok ? reading.value : undefined;
          },
        },
      );
      if (reply.kind === 'stream')
        holds(Number.isSafeInteger(reply.after) && reply.after >= 0, 'a stream begins at a number');
      holds(!JSON.stringify(reply).includes('top secret'), 'nothing outside is handed out');
    },
  },
  {
    name: 'mcp-paths',
    reads: 'paths and names that MCP clients give',
    seeds: ['.', '../secret.txt', '/etc/passwd', 'a/../../x', 'plan.txt'],
    async run(text) {
      const uri = uriOf('run-1', text.toWellFormed());
      same(
        decodeURIComponent(uri.split('/').at(-1) ?? ''),
        text.toWellFormed(),
        'a name survives its address',
      );
      const found = await projectPath({ cwd: project, project }, text).catch(
        (error: Error & { code?: string }) => {
          if (error.name === 'CharretteError') return undefined;
          throw error;
        },
      );
      if (found !== undefined)
        holds(isInside(project, path.resolve(project, found)), 'paths stay in the project');
    },
  },
  {
    name: 'host-hooks',
    reads: 'what hosts hand to hooks, and their transcripts',
    seeds: [
      '{"session_id":"a","cwd":"/x","transcript_path":"/y","tool_name":"Bash","tool_input":{"command":["git","push"]},"stop_hook_active":true}',
      '{"conversation_id":"../x","workspace_roots":["/z"],"loop_count":2}',
      '{"type":"user","message":{"content":[{"type":"text","text":"hi"}]}}\n{"type":"assistant"}\n',
    ],
    run(text) {
      const input = readHookInput(text, '/here');
      holds(/^[\w-]{1,80}$/.test(input.session), 'a session is a tame file name');
      holds(path.isAbsolute(input.cwd), 'a folder is absolute');
      const file = path.join(place, 'transcript.jsonl');
      writeFileSync(file, text);
      readTranscript(file);
    },
  },
  {
    name: 'acp-prompts',
    reads: 'prompts of editors over the Agent Client Protocol',
    seeds: [
      '[{"type":"text","text":"add limits"},{"type":"resource_link","uri":"file:///a%20b.ts","name":"a"},{"type":"resource","resource":{"uri":"file:///c","text":"d"}}]',
    ],
    run(text) {
      const reading = readJson(text);
      if (!reading.ok || !Array.isArray(reading.value)) return;
      const blocks = reading.value.filter((block) => isRecord(block) && fits(block));
      holds(typeof featureText(blocks as never) === 'string', 'a prompt has words');
    },
  },
];

/** What the protocol's own schema lets through. */
function fits(block: Record<string, unknown>): boolean {
  if (block['type'] === 'text') return typeof block['text'] === 'string';
  if (block['type'] === 'resource_link') return typeof block['uri'] === 'string';
  const resource = block['resource'];
  return (
    block['type'] === 'resource' &&
    isRecord(resource) &&
    typeof resource['uri'] === 'string' &&
    typeof resource['text'] === 'string'
  );
}
