// `npm run sbom`: writes the bill of materials of the locked dependencies (CycloneDX, dist/sbom.json or the file that is named),
// then asks the registry for known vulnerabilities. A registry without an answer is reported as unknown, not as "none".
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = path.resolve(root, process.argv[2] ?? 'dist/sbom.json');

const made = npm(['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx']);
const bill = parse(made.stdout);
const locked = Object.keys(JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages);
if (bill?.bomFormat !== 'CycloneDX' || bill.components.length === 0) {
  process.stderr.write(`No bill of materials: ${made.stderr}\n`);
  process.exit(1);
}
mkdirSync(path.dirname(file), { recursive: true });
writeFileSync(file, made.stdout);
say(
  `${path.relative(root, file)}: CycloneDX ${bill.specVersion}, ${bill.components.length} of ${locked.length - 1} locked packages`,
);

const audit = parse(npm(['audit', '--package-lock-only', '--json', '--audit']).stdout);
const found = audit?.metadata?.vulnerabilities;
if (found === undefined) {
  say(
    `vulnerabilities: unknown, no answer from the registry in use (${audit?.statusCode ?? audit?.error?.code ?? 'no answer'})`,
  );
} else {
  say(`vulnerabilities: ${found.total} (${found.critical} critical, ${found.high} high)`);
  if (found.total > 0) process.exitCode = 1;
}

function npm(args) {
  return spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: 120_000,
  });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
