// What a report of Vitest and the output of a command say of failures.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

export function readCounts(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Every test that failed, with the beginning of its message. */
export function failedTests(counts, root) {
  return (counts?.testResults ?? []).flatMap(({ name, assertionResults, message }) => {
    const file = path.relative(root, name);
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0 && message) return [`${file}\n${beginning(message)}`];
    return failed.map((test) => `${file} > ${test.fullName}\n${beginning(test.failureMessages.join('\n'))}`);
  });
}

/** The files with failed tests, and how many failed in each; none when something failed outside of a test. */
export function failedFiles(counts, root) {
  return (counts?.testResults ?? []).flatMap(({ name, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed').length;
    return failed === 0 ? [] : [{ file: path.relative(root, name), failed }];
  });
}

function beginning(text) {
  return indented(text.slice(0, 2000).split('\n').slice(0, 20));
}

/** The failures that a suite reports outside of its tests; the end of any other output. */
export function troubleIn(output) {
  const lines = stripVTControlCharacters(output).trimEnd().split('\n');
  const first = lines.findIndex((line) => /⎯ (?:Failed|Unhandled) |^error during close/.test(line));
  return indented(first === -1 ? lines.slice(-40) : lines.slice(first, first + 60));
}

function indented(lines) {
  return lines.map((line) => `    ${line}`).join('\n');
}
