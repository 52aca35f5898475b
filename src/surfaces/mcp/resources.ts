import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { CharretteError, toCharretteError } from '../../base/errors.ts';
import { newestRuns } from '../../engine/newest-runs.ts';
import { runDirectoryOf } from '../../engine/run-directory.ts';
import { readRunRecord } from '../../engine/run-record.ts';
import { listArtifacts, readArtifact } from '../cli/artifacts.ts';
import { findHome } from '../cli/project.ts';
import { artifactTemplate, uriOf } from './artifact-uri.ts';
import type { ServerContext } from './tool.ts';

const runsListed = 10;
const largestResource = 256 * 1024;

const mimeTypes: readonly (readonly [ending: string, type: string])[] = [
  ['.json', 'application/json'],
  ['.md', 'text/markdown'],
];

/** Artifacts of the newest runs as resources; those of any run can be read. */
export function registerResources(server: McpServer, context: ServerContext): void {
  const template = new ResourceTemplate(artifactTemplate, {
    list: async () => ({ resources: await listResources(context) }),
  });
  const metadata = {
    title: 'Artifacts of runs',
    description: 'Sketches, debates, plan, votes and findings.',
  };
  server.registerResource('artifact', template, metadata, async (uri, variables) => {
    try {
      const [run, name] = [decoded(variables['run']), decoded(variables['name'])];
      const text = await readResource(context, run, name);
      return { contents: [{ uri: uri.href, mimeType: mimeTypeOf(name), text }] };
    } catch (thrown) {
      throw protocolError(thrown);
    }
  });
}

async function listResources(context: ServerContext) {
  const home = findHome(context.cwd);
  const { ids } = await newestRuns(home, runsListed);
  const lists = await Promise.all(
    ids.map(async (id) =>
      (await listArtifacts(runDirectoryOf(home, id))).map(({ name, bytes }) => ({
        uri: uriOf(id, name),
        name: `${id}/${name}`,
        mimeType: mimeTypeOf(name),
        size: bytes,
      })),
    ),
  );
  return lists.flat();
}

async function readResource(context: ServerContext, run: string, name: string): Promise<string> {
  const directory = runDirectoryOf(findHome(context.cwd), run);
  await readRunRecord(directory);
  const text = await readArtifact(directory, name);
  if (text.length <= largestResource) return text;
  throw new CharretteError({
    code: 'file-too-large',
    message: `${name} has ${text.length} characters; a resource hands out at most ${largestResource}.`,
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
