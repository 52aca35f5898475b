import { useState } from 'preact/hooks';
import type { CostPoint } from '../../../src/surfaces/web/snapshot.ts';
import { CostPlot } from '../cost-plot.tsx';
import { count, money, phaseName } from '../format.ts';

const bases = ['measured', 'estimated', 'unknown'] as const;
type Basis = (typeof bases)[number];
export type Measure = 'tokens' | 'money';

const measures: Readonly<
  Record<
    Measure,
    {
      name: string;
      of: (point: CostPoint) => number;
      basis: (point: CostPoint) => Basis;
      show: (value: number) => string;
    }
  >
> = {
  tokens: {
    name: 'Tokens',
    of: ({ inputTokens, outputTokens }) => inputTokens + outputTokens,
    basis: ({ basis }) => basis,
    show: count,
  },
  money: { name: 'Money', of: ({ usd }) => usd ?? 0, basis: ({ usdBasis }) => usdBasis, show: money },
};

/** What the run used, by step and by seat. A number says whether it was measured, estimated, or is not known. */
export function Costs({ costs }: { costs: readonly CostPoint[] }) {
  const [measure, setMeasure] = useState<Measure>('tokens');
  const { of, basis, show } = measures[measure];
  const unknown = costs.filter((point) => basis(point) === 'unknown').length;
  return (
    <div class="stack">
      <fieldset class="filters" aria-label="Measure">
        {(Object.keys(measures) as Measure[]).map((name) => (
          <button
            key={name}
            type="button"
            class="button quiet"
            aria-pressed={measure === name}
            onClick={() => setMeasure(name)}
          >
            {measures[name].name}
          </button>
        ))}
        <span class="legend">
          {bases.map((name) => (
            <span key={name} class="key">
              <i class={`swatch ${name}`} aria-hidden="true" />
              {name}
            </span>
          ))}
        </span>
      </fieldset>
      {unknown > 0 && (
        <p class="quiet">
          {unknown === costs.length
            ? 'No call told'
            : `${costs.length - unknown} of ${costs.length} calls told`}{' '}
          {unknown === costs.length ? 'what it ' : 'what they '}
          {measure === 'tokens' ? 'used' : 'cost'}; the rest is unknown, not zero.
        </p>
      )}
      <div class="two">
        <Bars title="By step" costs={costs} keyOf={({ phase }) => phaseName(phase)} measure={measure} />
        <Bars
          title="By seat"
          costs={costs}
          keyOf={({ seat, agent }) => `${seat} · ${agent}`}
          measure={measure}
        />
      </div>
      {costs.some((point) => of(point) > 0) && (
        <figure class="card pad">
          <figcaption>{measures[measure].name} over time</figcaption>
          <CostPlot costs={costs} amountOf={of} basisOf={basis} show={show} name={measures[measure].name} />
        </figure>
      )}
    </div>
  );
}

type Row = { name: string; calls: number } & Record<Basis, number> & { unknownCalls: number };

function Bars(props: {
  title: string;
  costs: readonly CostPoint[];
  keyOf: (point: CostPoint) => string;
  measure: Measure;
}) {
  const { of, basis, show } = measures[props.measure];
  const rows = new Map<string, Row>();
  for (const point of props.costs) {
    const name = props.keyOf(point);
    const row = rows.get(name) ?? { name, calls: 0, measured: 0, estimated: 0, unknown: 0, unknownCalls: 0 };
    row.calls += 1;
    row[basis(point)] += of(point);
    if (basis(point) === 'unknown') row.unknownCalls += 1;
    rows.set(name, row);
  }
  const list = [...rows.values()];
  const largest = Math.max(1e-9, ...list.map((row) => row.measured + row.estimated));
  return (
    <div class="card pad">
      <table class="bars">
        <caption>{props.title}</caption>
        <thead class="unseen">
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Share</th>
            <th scope="col">Amount</th>
          </tr>
        </thead>
        <tbody>
          {list.map((row) => (
            <tr key={row.name}>
              <th scope="row">
                <bdi>{row.name}</bdi>
              </th>
              <td class="bar-cell" aria-hidden="true">
                <span class="bar-line">
                  <i class="swatch measured" style={{ width: `${(row.measured / largest) * 100}%` }} />
                  <i class="swatch estimated" style={{ width: `${(row.estimated / largest) * 100}%` }} />
                  {row.unknownCalls > 0 && (
                    <i class="swatch unknown" style={{ width: `${Math.min(30, 4 * row.unknownCalls)}%` }} />
                  )}
                </span>
              </td>
              <td class="amount">
                {describe(row, show)}
                <small>
                  {row.calls} {row.calls === 1 ? 'call' : 'calls'}
                </small>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function describe(row: Row, show: (value: number) => string): string {
  const parts = [
    ...(row.measured > 0 ? [show(row.measured)] : []),
    ...(row.estimated > 0 ? [`≈ ${show(row.estimated)}`] : []),
    ...(row.unknownCalls > 0
      ? [row.measured + row.estimated > 0 ? `+ ${row.unknownCalls} unknown` : 'unknown']
      : []),
  ];
  return parts.join(' ') || '0';
}
