import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { issueWords } from '../../base/schema/issue-words.ts';
import { version } from '../cli/version.ts';
import { registerResources } from './resources.ts';
import type { Registration, ServerContext } from './tool.ts';
import { artifactRead } from './tools/artifact.ts';
import { designContext } from './tools/context.ts';
import { designStart } from './tools/design.ts';
import { planCheck } from './tools/plan-check.ts';
import { promptCompile } from './tools/prompt.ts';
import { runInspect, runList } from './tools/runs.ts';
import { skillLint } from './tools/skill-lint.ts';
import { runAnswer, runCancel, runResume } from './tools/steer.ts';
import { runWait } from './tools/wait.ts';

/** Every tool there is, in the order in which clients show them. */
const tools: readonly Registration[] = [
  designStart,
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
];

const instructions =
  'Charrette designs a feature with several agents and hands back one plan. Start with design_start, follow with ' +
  'run_wait, read plan.txt with artifact_read. A paused run has questions for the person: ask them, then run_answer. ' +
  'Long texts come in pages; go on with `next`.';

/** The server with all its tools and resources, not yet connected to anybody. */
export function makeServer(context: ServerContext): McpServer {
  // The arguments of tools are checked by the library of the protocol, which takes no words with them.
  z.config({ customError: issueWords });
  const server = new McpServer(
    { name: 'charrette', title: 'Charrette', version },
    { instructions, maxToolInputElements: 2_000 },
  );
  for (const tool of tools) tool.register(server, context);
  registerResources(server, context);
  return server;
}
