import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { CostPoint } from '../../src/surfaces/web/snapshot.ts';
import { elapsed } from './format.ts';

type Props = {
  costs: readonly CostPoint[];
  amountOf: (point: CostPoint) => number;
  basisOf: (point: CostPoint) => 'measured' | 'estimated' | 'unknown';
  show: (value: number) => string;
  name: string;
};

const height = 200;

/** The running total; the estimated part is on top of the measured one, dashed. */
export function CostPlot({ costs, amountOf, basisOf, show, name }: Props) {
  const holder = useRef<HTMLDivElement>(null);
  const [times, measured, all] = runningTotals(costs, amountOf, basisOf);
  const total = all.at(-1) ?? 0;
  useEffect(() => {
    const element = holder.current;
    if (element === null) return undefined;
    let plot: uPlot | undefined;
    const make = () => {
      plot?.destroy();
      plot = new uPlot(optionsFor(element, show), [times, measured, all], element);
    };
    make();
    const resize = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height }));
    resize.observe(element);
    addEventListener('charrette-theme', make);
    return () => {
      removeEventListener('charrette-theme', make);
      resize.disconnect();
      plot?.destroy();
    };
  }, [costs, name]);
  return (
    <div ref={holder} class="plot" role="img" aria-label={`${name} over time, ${show(total)} in the end`} />
  );
}

function runningTotals(
  costs: readonly CostPoint[],
  amountOf: Props['amountOf'],
  basisOf: Props['basisOf'],
): [number[], number[], number[]] {
  const sorted = costs.filter((point) => amountOf(point) > 0).sort((a, b) => a.time.localeCompare(b.time));
  const first = sorted[0];
  const start = first === undefined ? 0 : Date.parse(first.time) - first.durationMs;
  const result: [number[], number[], number[]] = [[0], [0], [0]];
  for (const point of sorted) {
    const value = amountOf(point);
    result[0].push((Date.parse(point.time) - start) / 1000);
    result[1].push((result[1].at(-1) ?? 0) + (basisOf(point) === 'measured' ? value : 0));
    result[2].push((result[2].at(-1) ?? 0) + value);
  }
  return result;
}

function optionsFor(element: HTMLElement, show: Props['show']): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const axis = {
    stroke: color('--ink-3'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: '12px Inter, system-ui, sans-serif',
  };
  return {
    width: element.clientWidth,
    height,
    cursor: { y: false, points: { show: false } },
    legend: { show: false },
    scales: { x: { time: false } },
    axes: [
      { ...axis, values: (_plot, ticks) => ticks.map((tick) => elapsed(tick * 1000)) },
      { ...axis, size: 64, values: (_plot, ticks) => ticks.map(show) },
    ],
    series: [
      {},
      {
        stroke: color('--accent'),
        width: 2,
        fill: color('--accent-soft'),
        ...(stepped && { paths: stepped }),
      },
      { stroke: color('--accent'), width: 1.5, dash: [5, 4], ...(stepped && { paths: stepped }) },
    ],
  };
}
