// Whether a file CALLS.hold names what an agent is at. One look: the file may go between two.
import { readFileSync } from 'node:fs';

export function isHeld(callsFile, name) {
  try {
    return readFileSync(`${callsFile}.hold`, 'utf8') === name;
  } catch {
    return false;
  }
}
