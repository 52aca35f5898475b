/** L-037: `45s`, `2m31s`, `1h3m`; zero parts are dropped, hours never show seconds. */
export function formatElapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${unlessZero(seconds % 60, 's')}`;
  return `${Math.floor(minutes / 60)}h${unlessZero(minutes % 60, 'm')}`;
}

function unlessZero(value: number, unit: string): string {
  return value === 0 ? '' : `${value}${unit}`;
}
