import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { CharretteError, toCharretteError } from '../../base/errors.ts';
import { issueWords } from '../../base/schema/primitives.ts';
import { version } from '../../base/version.ts';
import { newestRuns } from '../../engine/newest-runs.ts';
import { runDirectoryOf } from '../../engine/run-directory.ts';
import { readRunRecord } from '../../engine/run-record.ts';
import { listArtifacts, readArtifact } from '../../service/artifacts.ts';
import type { Project } from '../../service/project.ts';
import { designContext, planCheck, promptCompile, skillLint } from './check-tools.ts';
import { artifactTemplate, uriOf } from './pages.ts';
import {
  artifactRead,
  designStart,
  reviewStart,
  runAnswer,
  runCancel,
  runInspect,
  runList,
  runResume,
  runWait,
} from './run-tools.ts';
import type { Registration } from './tool.ts';
import { workflowCheck, workflowList, workflowRun } from './workflow-tools.ts';

/** Every tool there is, in the order in which clients show them. */
const tools: readonly Registration[] = [
  designStart,
  reviewStart,
  runList,
  runInspect,
  runWait,
  runAnswer,
  runResume,
  runCancel,
  artifactRead,
  designContext,
  promptCompile,
  skillLint,
  planCheck,
  workflowList,
  workflowCheck,
  workflowRun,
];

const instructions =
  'Charrette designs a feature with several agents and returns one plan. Start with design_start, follow with ' +
  'run_wait, read plan.txt with artifact_read. A paused run has questions for the person: ask them, then run_answer. ' +
  'Long texts come in pages; continue with `next`.';

/** The server with all its tools and resources, not yet connected. */
export function makeServer(project: Project): McpServer {
  // The protocol library checks the arguments of tools and takes no messages with them.
  z.config({ customError: issueWords });
  const server = new McpServer(
    { name: 'charrette', title: 'Charrette', version },
    { instructions, maxToolInputElements: 2_000 },
  );
  for (const tool of tools) tool.register(server, project);
  registerResources(server, project);
  return server;
}

const runsListed = 10;
const maxResource = 256 * 1024;

const mimeTypes: readonly (readonly [ending: string, type: string])[] = [
  ['.json', 'application/json'],
  ['.md', 'text/markdown'],
];

/** Artifacts of the newest runs as resources; those of any run can be read. */
function registerResources(server: McpServer, project: Project): void {
  const template = new ResourceTemplate(artifactTemplate, {
    list: async () => ({ resources: await listResources(project) }),
  });
  const metadata = {
    title: 'Artifacts of runs',
    description: 'Sketches, debates, plan, votes and findings.',
  };
  server.registerResource('artifact', template, metadata, async (uri, variables) => {
    try {
      const [run, name] = [decoded(variables['run']), decoded(variables['name'])];
      const text = await readResource(project, run, name);
      return { contents: [{ uri: uri.href, mimeType: mimeTypeOf(name), text }] };
    } catch (thrown) {
      throw protocolError(thrown);
    }
  });
}

async function listResources(project: Project) {
  const { ids } = await newestRuns(project, runsListed);
  const lists = await Promise.all(
    ids.map(async (id) =>
      (await listArtifacts(runDirectoryOf(project, id))).map(({ name, bytes }) => ({
        uri: uriOf(id, name),
        name: `${id}/${name}`,
        mimeType: mimeTypeOf(name),
        size: bytes,
      })),
    ),
  );
  return lists.flat();
}

async function readResource(project: Project, run: string, name: string): Promise<string> {
  const directory = runDirectoryOf(project, run);
  await readRunRecord(directory);
  const text = await readArtifact(directory, name);
  if (text.length <= maxResource) return text;
  throw new CharretteError({
    code: 'file-too-large',
    message: `${name} has ${text.length} characters; a resource hands out at most ${maxResource}.`,
    fix: 'Read it in pages with artifact_read.',
  });
}

function decoded(value: string | string[] | undefined): string {
  try {
    return decodeURIComponent(String(value));
  } catch {
    throw new CharretteError({
      code: 'usage',
      message: `${JSON.stringify(value)} is not encoded as in a URI.`,
    });
  }
}

/** Errors of resources travel in the protocol: our code, message and fix are its data. */
function protocolError(thrown: unknown): McpError {
  const { code, message, fix, retryable } = toCharretteError(thrown);
  const kind = code === 'internal' ? ErrorCode.InternalError : ErrorCode.InvalidParams;
  return new McpError(kind, message, { error: { code, message, fix, retryable } });
}

function mimeTypeOf(name: string): string {
  return mimeTypes.find(([ending]) => name.endsWith(ending))?.[1] ?? 'text/plain';
}
