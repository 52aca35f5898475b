// Loaded into the program with `node --import`: its calendar clock runs beside the machine's by as many milliseconds as
// the file $CLOCK_OFFSET_FILE says, which may change while it runs. The monotonic clock and timers stay as they are.
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

const file = process.env.CLOCK_OFFSET_FILE ?? '';
const Real = Date;
const now = Real.now.bind(Real);
let offset = 0;
let looked = -1000;

function shifted() {
  if (performance.now() - looked > 10) {
    looked = performance.now();
    try {
      offset = Number(readFileSync(file, 'utf8')) || 0;
    } catch {
      offset = 0;
    }
  }
  return now() + offset;
}

globalThis.Date = class MovedDate extends Real {
  constructor(...given) {
    if (given.length === 0) super(shifted());
    else super(...given);
  }
  static now() {
    return shifted();
  }
};
