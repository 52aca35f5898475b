/** The real agent programs that the slow suites drive, each at one exact version. */
export type Pin = {
  /** Folder in the cache and name in test titles. */
  name: string;
  /** Which suite needs it: `ci` runs on every change, `more` in the second slow file, `acp` are adapters, `tool` are not agents. */
  suite: 'ci' | 'more' | 'acp' | 'tool';
  package: string;
  version: string;
  /** The program below node_modules, by `platform-arch`; `any` is a script for Node. Native programs come without npm's shim, whose death would leave them running. */
  programs: { readonly [platform: string]: string };
  /** Brotli files that a post-install script would unpack; we unpack them and run no scripts. */
  unpack?: { readonly [platform: string]: { from: string; to: string } };
};

export const pins = [
  {
    name: 'claude',
    suite: 'ci',
    package: '@anthropic-ai/claude-code',
    version: '2.1.325',
    programs: {
      'linux-x64': '@anthropic-ai/claude-code-linux-x64/claude',
      'linux-arm64': '@anthropic-ai/claude-code-linux-arm64/claude',
      'darwin-arm64': '@anthropic-ai/claude-code-darwin-arm64/claude',
    },
  },
  {
    name: 'codex',
    suite: 'ci',
    package: '@openai/codex',
    version: '0.166.0',
    programs: {
      'linux-x64': '@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex',
      'linux-arm64': '@openai/codex-linux-arm64/vendor/aarch64-unknown-linux-musl/bin/codex',
      'darwin-arm64': '@openai/codex-darwin-arm64/vendor/aarch64-apple-darwin/bin/codex',
    },
  },
  {
    name: 'goose',
    suite: 'ci',
    package: '@aaif/goose-acp',
    version: '1.50.0',
    programs: {
      'linux-x64': '@aaif/goose-binary-linux-x64/bin/goose',
      'linux-arm64': '@aaif/goose-binary-linux-arm64/bin/goose',
      'darwin-arm64': '@aaif/goose-binary-darwin-arm64/bin/goose',
    },
  },
  {
    name: 'grok',
    suite: 'ci',
    package: '@xai-official/grok',
    version: '1.0.41',
    programs: {
      'linux-x64': '@xai-official/grok-linux-x64/bin/grok',
      'linux-arm64': '@xai-official/grok-linux-arm64/bin/grok',
      'darwin-arm64': '@xai-official/grok-darwin-arm64/bin/grok',
    },
    unpack: {
      'linux-x64': {
        from: '@xai-official/grok-linux-x64/bin/grok.br',
        to: '@xai-official/grok-linux-x64/bin/grok',
      },
      'linux-arm64': {
        from: '@xai-official/grok-linux-arm64/bin/grok.br',
        to: '@xai-official/grok-linux-arm64/bin/grok',
      },
      'darwin-arm64': {
        from: '@xai-official/grok-darwin-arm64/bin/grok.br',
        to: '@xai-official/grok-darwin-arm64/bin/grok',
      },
    },
  },
  {
    name: 'gemini',
    suite: 'more',
    package: '@google/gemini-cli',
    version: '0.61.0',
    programs: { any: '@google/gemini-cli/bundle/gemini.js' },
  },
  {
    name: 'opencode',
    suite: 'more',
    package: 'opencode-ai',
    version: '1.18.33',
    programs: {
      'linux-x64': 'opencode-linux-x64/bin/opencode',
      'linux-arm64': 'opencode-linux-arm64/bin/opencode',
      'darwin-arm64': 'opencode-darwin-arm64/bin/opencode',
    },
  },
  {
    name: 'qwen',
    suite: 'more',
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    programs: { any: '@qwen-code/qwen-code/cli-entry.js' },
  },
  {
    name: 'copilot',
    suite: 'more',
    package: '@github/copilot',
    version: '1.0.102',
    programs: {
      'linux-x64': '@github/copilot-linux-x64/copilot',
      'linux-arm64': '@github/copilot-linux-arm64/copilot',
      'darwin-arm64': '@github/copilot-darwin-arm64/copilot',
    },
  },
  {
    name: 'pi',
    suite: 'more',
    package: '@mariozechner/pi-coding-agent',
    version: '0.73.1',
    programs: { any: '@mariozechner/pi-coding-agent/dist/cli.js' },
  },
  {
    name: 'claude-acp',
    suite: 'acp',
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.99.1',
    programs: { any: '@agentclientprotocol/claude-agent-acp/dist/index.js' },
  },
  {
    name: 'codex-acp',
    suite: 'acp',
    package: '@agentclientprotocol/codex-acp',
    version: '2.6.0',
    programs: { any: '@agentclientprotocol/codex-acp/dist/index.js' },
  },
  {
    name: 'mcp-inspector',
    suite: 'tool',
    package: '@modelcontextprotocol/inspector',
    version: '2.12.0',
    programs: { any: '@modelcontextprotocol/inspector/clients/launcher/build/index.js' },
  },
] as const satisfies readonly Pin[];

export type PinName = (typeof pins)[number]['name'];

export function pinOf(name: PinName): Pin {
  const pin: Pin | undefined = pins.find((candidate) => candidate.name === name);
  if (pin === undefined) throw new Error(`no pinned agent ${name}`);
  return pin;
}
