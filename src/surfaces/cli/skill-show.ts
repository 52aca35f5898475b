import path from 'node:path';
import { exitCodes } from '../../base/error-table.ts';
import { CharretteError } from '../../base/errors.ts';
import { suggestion } from '../../base/text/strings.ts';
import type { CommandSpec } from '../../service/command.ts';
import { writeNamedFile } from '../../service/named-file.ts';
import { patterns, renderRule } from '../../skills/explain.ts';
import { packageDirectories } from '../../skills/lint/lint-paths.ts';
import { buildPackage } from '../../skills/model/package.ts';
import { readPackageFiles } from '../../skills/package-files.ts';
import { allRules, ruleById, ruleFamilies } from '../../skills/rules/catalog.ts';
import { renderMermaid, renderTree, type SkillGraph, skillGraph } from '../../skills/show.ts';
import { columns } from './help.ts';

const renderers: Readonly<Record<string, (graph: SkillGraph) => string>> = {
  tree: renderTree,
  mermaid: renderMermaid,
};

export const skillShow: CommandSpec = {
  examples: [
    ['charrette skill show my-skill', 'a tree on the terminal'],
    ['charrette skill show my-skill --format mermaid', 'for a document'],
    ['charrette skill show my-skill --format mermaid --to flow.mmd', 'to a file'],
  ],
  arguments: [['[path]', 'package directory']],
  options: [
    {
      flags: '--format <form>',
      description: 'output form',
      choices: Object.keys(renderers),
      default: 'tree',
    },
    { flags: '--to <file>', description: 'write to a file instead of stdout' },
  ],
  dryRun: 'says',
  run: async ({ arguments: [given], options, global }) => {
    const [directory, ...more] = packageDirectories(
      [typeof given === 'string' ? given : '.'],
      [],
      global.cwd,
    );
    if (directory === undefined || more.length > 0) {
      throw new CharretteError({
        code: 'usage',
        message: `There are ${more.length + 1} packages; name one of them.`,
      });
    }
    const graph = skillGraph(buildPackage(readPackageFiles(directory)));
    const text = (renderers[String(options['format'])] ?? renderTree)(graph);
    const target = options['to'];
    if (typeof target !== 'string') return { exit: exitCodes.done, text, json: graph };
    if (!global.dryRun) await writeNamedFile(path.resolve(global.cwd, target), text);
    return {
      exit: exitCodes.done,
      text: `${global.dryRun ? 'would write ' : ''}${target}\n`,
      json: { ...graph, file: target },
    };
  },
};

export const skillExplain: CommandSpec = {
  examples: [
    ['charrette skill explain CP003', 'one rule'],
    ['charrette skill explain P9', 'one of the nine patterns'],
    ['charrette skill explain requirements', 'the JSON Schema of a requirements document; also config'],
    ['charrette skill explain', 'the list of both'],
  ],
  arguments: [['[topic]', 'a rule id such as FM001 or a pattern such as P4']],
  dryRun: 'reads',
  run: async ({ arguments: [topic] }) => {
    if (typeof topic !== 'string')
      return { exit: exitCodes.done, text: renderList(), json: { rules: allRules, patterns } };
    const id = topic.toUpperCase();
    const rule = ruleById.get(id);
    if (rule !== undefined) return { exit: exitCodes.done, text: renderRule(rule), json: rule };
    const pattern = patterns.find((candidate) => candidate.id === id.replace(/^PATTERN[\s-]*/, 'P'));
    if (pattern !== undefined) {
      const text = `${pattern.id} ${pattern.title}\n  ${pattern.text}\n\n  Checked by: ${pattern.rules.join(', ')}\n`;
      return { exit: exitCodes.done, text, json: pattern };
    }
    const schema = await schemaOf(topic.toLowerCase());
    if (schema !== undefined) {
      return { exit: exitCodes.done, text: `${JSON.stringify(schema, null, 2)}\n`, json: schema };
    }
    const known = [...ruleById.keys(), ...patterns.map((candidate) => candidate.id)];
    throw new CharretteError({
      code: 'not-found',
      message: `Unknown rule or pattern ${JSON.stringify(topic)}.${suggestion(id, known)}`,
      fix: 'Run `charrette skill explain` for the list.',
    });
  },
};

/** `config` and `requirements`: JSON Schemas of what `skill new` and `skill convert` read. */
async function schemaOf(topic: string): Promise<unknown> {
  if (topic === 'config') {
    return (await import('../../skills/config/workflow-config.ts')).workflowConfigJsonSchema();
  }
  if (topic === 'requirements') {
    return (await import('../../skills/convert/requirements-doc.ts')).requirementsJsonSchema;
  }
  return undefined;
}

function renderList(): string {
  const families = Object.entries(ruleFamilies).map(([prefix, title]) => {
    const rows = allRules
      .filter(({ id }) => id.startsWith(prefix))
      .map(({ id, severity, summary }) => [`${id} ${severity.slice(0, 1).toUpperCase()}`, summary] as const);
    return `${title}\n${columns(rows).join('\n')}\n`;
  });
  const rows = patterns.map(({ id, title }) => [id, title] as const);
  return `${families.join('\n')}\nPatterns\n${columns(rows).join('\n')}\n`;
}
