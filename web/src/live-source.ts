import { visibleText } from '../../src/base/text/strings.ts';
import { watchRun } from './follow.ts';
import { parse } from './json.ts';
import type { Source } from './source.ts';

async function request(address: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(address, { credentials: 'same-origin', ...init }).catch(() => {
    throw new Error('The server cannot be reached.');
  });
  if (response.ok) return response;
  throw new Error(messageIn(await response.text()) ?? `The server answered ${response.status}.`);
}

function messageIn(text: string): string | undefined {
  try {
    const { error } = parse<{ error?: { code: string; message: string; fix?: string } }>(text);
    // Advice for a command line does not help here.
    return error?.code === 'usage' ? error.message : [error?.message, error?.fix].filter(Boolean).join(' ');
  } catch {
    return text.trim() || undefined;
  }
}

const post = (address: string, body: unknown) =>
  request(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

const json = async <Value>(address: string) => parse<Value>(await (await request(address)).text());
const at = (run: string, rest = '') => `/api/runs/${encodeURIComponent(run)}${rest}`;

/** The server this page came from. */
export const liveSource: Source = {
  runs: (limit) => json(`/api/runs?limit=${limit}`),
  snapshot: (run) => json(at(run)),
  watch: (run, watcher) =>
    watchRun(run, watcher, async (after) => (await request(at(run, `/events?after=${after}`))).text()),
  artifact: async (run, name) =>
    visibleText(await (await request(at(run, `/artifacts/${encodeURIComponent(name)}`))).text()),
  picture: async (run, name) => (await request(at(run, `/pictures/${encodeURIComponent(name)}`))).text(),
  lane: (run, lane) => json(at(run, `/lanes/${encodeURIComponent(lane)}`)),
  lines: (run, { path, line, endLine }) =>
    json(at(run, `/source?${new URLSearchParams({ path, line: `${line}`, end: `${endLine}` })}`)),
  forms: () => json('/api/forms'),
  async start(body) {
    return parse<{ run: string }>(await (await post('/api/runs', body)).text()).run;
  },
  async steer(run, action, body = {}) {
    await post(at(run, `/${action}`), body);
  },
};
