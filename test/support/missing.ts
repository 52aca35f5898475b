/** Says in one line that a suite is left out, and what brings it. */
export function tellMissing(what: string): void {
  process.stderr.write(`skipped: there is no ${what} on this machine; scripts/ci-machine.sh installs it\n`);
}
