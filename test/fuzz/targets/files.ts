import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseFragment } from 'parse5';
import { loadConfig } from '../../../src/base/config/config.ts';
import { containedPath, isInside } from '../../../src/base/files/bounded.ts';
import { readJson } from '../../../src/base/safe-json.ts';
import { parseLog } from '../../../src/engine/event-log.ts';
import { readMessages } from '../../../src/engine/inbox.ts';
import { isLive } from '../../../src/engine/lock.ts';
import {
  readQuestions,
  rememberAnswers,
  rememberQuestions,
  unanswered,
} from '../../../src/engine/question.ts';
import { homeOf, runDirectoryOf } from '../../../src/engine/run-directory.ts';
import { readRunRecord } from '../../../src/engine/run-record.ts';
import { readAnswerFile } from '../../../src/surfaces/cli/ask.ts';
import { addSettings } from '../../../src/surfaces/hosts/json-edit.ts';
import { readWaivers } from '../../../src/workflows/feature/rules/waivers.ts';
import { formatOf, readVersion } from '../../../src/workflows/refine/import/bundle-format.ts';
import { readHtmlBundle } from '../../../src/workflows/refine/import/html-bundle.ts';
import { importBundle } from '../../../src/workflows/refine/import/import-bundle.ts';
import { limits } from '../../../src/workflows/refine/import/limits.ts';
import { cleanMarkup, readComponent, walk } from '../../../src/workflows/refine/import/markup.ts';
import { sanitizeSvg } from '../../../src/workflows/refine/import/sanitize-svg.ts';
import { nameProblems } from '../../../src/workflows/refine/import/scan-entries.ts';
import { bundleEntries, writeZip } from '../../support/zip.ts';
import { holds, same, type Target } from '../target.ts';

/** A folder that is there as long as the program, with a file outside and a link that leads to it. */
const place = mkdtempSync(path.join(tmpdir(), 'charrette-fuzz-'));
process.on('exit', () => rmSync(place, { recursive: true, force: true }));
const root = path.join(place, 'root');
mkdirSync(path.join(root, 'a', 'b'), { recursive: true });
writeFileSync(path.join(place, 'secret.txt'), 'top secret');
writeFileSync(path.join(root, 'a', 'file.txt'), 'inside');
symlinkSync('..', path.join(root, 'out'));
symlinkSync('a', path.join(root, 'in'));

const run = runDirectoryOf(homeOf(path.join(place, 'project')), 'run-1');
for (const folder of [run.inbox, run.artifacts, path.join(place, 'config'), path.join(place, 'feature')])
  mkdirSync(folder, { recursive: true });

function zipSeed(): string {
  const file = path.join(place, 'seed.zip');
  writeZip(file, bundleEntries());
  return readFileSync(file, 'latin1');
}

/** Everything in a project but the bundle itself. */
const listing = (project: string) =>
  (readdirSync(project, { recursive: true }) as string[]).filter((name) => !name.startsWith('bundle')).sort();

let projects = 0;

export const files: readonly Target[] = [
  {
    name: 'paths',
    reads: 'paths from configuration, plans, manifests, packages, bundles and addresses',
    seeds: [
      'a/file.txt',
      '../secret.txt',
      'out/secret.txt',
      'in/b',
      './a/../a/b',
      '/etc/passwd',
      'a\0b',
      'in/../../x',
      'A/FILE.txt',
    ],
    async run(text) {
      const found = await containedPath(root, text).catch((error: Error & { code?: string }) => {
        if (error.name === 'CharretteError') return undefined;
        throw error;
      });
      if (found === undefined) return;
      holds(isInside(root, found), 'the path is inside');
      let content = '';
      try {
        content = readFileSync(found, 'utf8');
      } catch {}
      holds(!content.includes('top secret'), 'what is outside is not read');
      if (nameProblems(text).length === 0)
        holds(isInside(root, path.resolve(root, text)), 'a good name stays inside');
    },
  },
  {
    name: 'configuration',
    reads: 'configuration files, JSON and YAML',
    seeds: [
      '{"detect": false, "agents": {"one": {"protocol": "exec", "command": ["node", "x"]}}, "limits": {"parallel": 2}}',
      'panel: diagonal\nagents:\n  one: &a {protocol: exec, command: [x]}\n  two: *a\n',
      'store: {url: "postgres://x"}',
    ],
    async run(text) {
      const file = path.join(place, 'config', 'c.yaml');
      writeFileSync(file, text);
      const { config } = await loadConfig({ project: place, env: { HOME: place }, file });
      holds(
        Object.getPrototypeOf(config) === Object.prototype && !('polluted' in {}),
        'nothing reaches for prototypes',
      );
    },
  },
  {
    name: 'answer-files',
    reads: 'answers given in a file',
    seeds: ['{"consent":"yes"}', '{"answers":[{"question":"a","value":"b"}]}'],
    async run(text) {
      const file = path.join(place, 'answers.json');
      writeFileSync(file, text);
      const answers = await readAnswerFile(file, new AbortController().signal);
      holds(
        [...answers].every(([key, value]) => typeof key === 'string' && typeof value === 'string'),
        'answers are texts',
      );
    },
  },
  {
    name: 'run-files',
    reads: 'record, questions and events of a run, messages of other processes',
    seeds: [
      '{"schemaVersion":1,"run":"run-1","workflow":"design","status":"running","title":"t","created":"2026","codeVersion":"1","inputs":{},"process":{"pid":1,"started":"1","host":"h"}}',
      '{"questions":[{"id":"q","text":"t","options":[{"value":"a","label":"b"}]}],"answers":[{"question":"q","value":"a"}]}',
      '{"type":"answer","answers":[{"question":"q","value":"a","source":"person"}]}',
      '{"id":"1","type":"note","text":"x"}\n{"id":"2"}\n',
    ],
    async run(text) {
      for (const entry of parseLog(text)) holds(typeof entry.id === 'string', 'entries have an id');
      writeFileSync(run.questions, text);
      unanswered(readQuestions(run));
      unanswered(rememberQuestions(run, [{ id: 'mine', text: 'x' }]));
      unanswered(rememberAnswers(run, [{ question: 'mine', value: 'x', source: 'person' }]));
      writeFileSync(path.join(run.inbox, '1.json'), text);
      for (const { message } of await readMessages(run.inbox))
        holds(['answer', 'cancel', 'run'].includes(message.type), 'messages are known');
      rmSync(path.join(run.inbox, '1.json'), { force: true });
      writeFileSync(path.join(place, 'feature', '.waivers.json'), text);
      await readWaivers(path.join(place, 'feature')).catch(refusal);
      writeFileSync(run.record, text);
      isLive(await readRunRecord(run), run);
    },
  },
  {
    name: 'json',
    reads: 'JSON of any origin',
    seeds: ['{"a":{"__proto__":{"polluted":1}},"constructor":{"prototype":{}}}', '[1e999,"\\ud800"]'],
    run(text) {
      const reading = readJson(text);
      holds(!('polluted' in {}), 'nothing reaches for prototypes');
      if (!reading.ok) return;
      same(readJson(JSON.stringify(reading.value)), reading, 'what was read can be written and read');
    },
  },
  {
    name: 'host-settings',
    reads: 'settings files of hosts that get our entries',
    seeds: [
      '{\n  // mine\n  "hooks": {"Stop": [{"command": "x"}]},\n  "mcpServers": {}\n}\n',
      '{"hooks": []}',
      '',
    ],
    run(text) {
      const settings = {
        hooks: { Stop: [{ command: 'charrette hook stop' }] },
        server: { command: 'charrette' },
      };
      const once = addSettings(text, settings, 'settings.json');
      same(addSettings(once, settings, 'settings.json'), once, 'adding again changes nothing');
    },
  },
  {
    name: 'zip-bundles',
    reads: 'design bundles as ZIP archives',
    seeds: [zipSeed()],
    async run(text) {
      projects += 1;
      const project = path.join(place, `bundle-${projects}`);
      mkdirSync(project);
      const file = path.join(project, 'bundle.zip');
      writeFileSync(file, text, 'latin1');
      try {
        const report = await importBundle({ root: project, file });
        const folder = path.join(project, report.dir);
        holds(
          listing(project).every(
            (name) =>
              isInside(folder, path.join(project, name)) || isInside(path.join(project, name), folder),
          ),
          'files are written only into the design folder',
        );
      } catch (error) {
        refusal(error);
        same(listing(project), [], 'a refused bundle leaves nothing');
      } finally {
        rmSync(project, { recursive: true, force: true });
      }
      holds(!existsSync(path.join(place, 'evil')), 'nothing outside');
    },
  },
  {
    name: 'bundle-formats',
    reads: 'the first bytes of a bundle',
    seeds: ['\ufeff <!-- a --> <!----><!doctype html>', '<html>', 'PK\u0003\u0004', '<!---->x'],
    async run(text) {
      for (const name of ['bundle.html', 'bundle.zip']) {
        const file = path.join(place, name);
        writeFileSync(file, text);
        const format = await formatOf(file).catch(refusal);
        holds(format === undefined || name.endsWith(format), 'name and content agree');
      }
    },
  },
  {
    name: 'html-bundles',
    reads: 'exported pages, their markup and components',
    seeds: [
      '<!doctype html><style>/* a */:root{--a: 1;/* b */--b: 2}</style><div data-component=a><div data-component=b>x</div></div><li><li>y',
      '<!doctype html><html><head><style>:root{--color-primary:#0b5fff}</style><script data-design-tokens>{"colors":{}}</script></head><body><section data-component="hero" data-variant="dark"><h1 onclick="x()">Hi</h1><a href="javascript:x">y</a></section></body></html>',
      '<svg><a xlink:href="javascript:x"><text>z</text></a></svg><iframe srcdoc="<script>">',
      '{"name":"Card","variants":["a"]}',
    ],
    run(text) {
      const { components, copy } = readHtmlBundle(text);
      const markups = components.map(({ markup = '' }) => markup.length);
      const written = markups.reduce((sum, length) => sum + length, 0);
      holds(written <= 2 * limits.componentTotalBytes, 'parts within parts are bounded');
      holds((copy?.sections.length ?? 0) <= limits.texts, 'texts are bounded');
      readComponent('components/card.json', text, []);
      readComponent('components/card.html', text, []);
      const { markup } = cleanMarkup(text, 'page.html');
      walk(parseFragment(markup), (element) => {
        holds(
          !['script', 'iframe', 'object', 'embed', 'base'].includes(element.tagName),
          `nothing that runs: ${element.tagName}`,
        );
        for (const { name, value } of element.attrs) {
          holds(!/^on/i.test(name), `no handler: ${name}`);
          if (/^(?:href|src|action|formaction)$/i.test(name))
            holds(!/^[\0- ]*(?:javascript|vbscript):/i.test(value), `no script in an address: ${value}`);
        }
        return true;
      });
      readVersion(text, ['1.0']);
    },
  },
  {
    name: 'svg',
    reads: 'drawings in bundles',
    seeds: [
      '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" onload="x"><a xlink:href="javascript:x"><path d="M0 0" style="fill:url(//e.com)"/></a><use href="#a"/><style>@import "x"</style></svg>',
      '<svg xmlns="http://www.w3.org/2000/svg" xmlns:a="b"><style><![CDATA[/* a */< (]]></style><g xmlns:b="c">x<g>y</g></g></svg>',
      '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg">&a;<![CDATA[<script>]]></svg>',
    ],
    run(text) {
      const result = sanitizeSvg(text);
      if (!result.ok) return;
      walk(parseFragment(result.text), (element) => {
        holds(
          !['script', 'foreignObject', 'animate', 'set', 'a', 'iframe'].includes(element.tagName),
          `nothing that runs: ${element.tagName}`,
        );
        for (const { name, value } of element.attrs) {
          holds(!/^on/i.test(name), `no handler: ${name}`);
          holds(!/javascript:/i.test(value), `no script in an attribute: ${value}`);
        }
        return true;
      });
      const again = sanitizeSvg(result.text);
      holds(again.ok && again.removed.length === 0, 'a clean drawing is clean');
    },
  },
];

function refusal(error: unknown): undefined {
  if (!(error instanceof Error) || error.name !== 'CharretteError') throw error;
}
