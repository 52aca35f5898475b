import { loadConfig } from '../../base/config/config.ts';
import { shownSetting, withoutSecrets } from '../../base/text/secrets.ts';
import type { CommandSpec } from '../../service/command.ts';
import { findProject } from '../../service/project.ts';
import { columns } from './help.ts';

export const command: CommandSpec = {
  examples: [
    ['charrette config', 'settings with their origin'],
    ['charrette config --schema', 'the JSON Schema of a configuration file'],
  ],
  options: [{ flags: '--schema', description: 'print the JSON Schema instead' }],
  dryRun: 'reads',
  async run({ options, global, terminal }) {
    if (options['schema'] === true) {
      const [{ z }, { configSchema }] = await Promise.all([
        import('zod'),
        import('../../base/schema/config.ts'),
      ]);
      const schema = z.toJSONSchema(configSchema);
      return { exit: 0, json: schema, text: `${JSON.stringify(schema, null, 2)}\n` };
    }
    const loaded = await loadConfig({
      project: findProject(global.cwd),
      env: terminal.env,
      file: global.config,
    });
    // What a person sees or pipes on has no keys in it.
    const origins = loaded.origins.map(({ key, value, from }) => ({
      key,
      value: shownSetting(key, value),
      from,
    }));
    const rows = origins.map(({ key, value, from }) => [`${key} = ${JSON.stringify(value)}`, from] as const);
    return {
      exit: 0,
      json: { ...loaded, config: withoutSecrets(loaded.config), origins },
      text: `${columns(rows).join('\n')}\n`,
    };
  },
};
