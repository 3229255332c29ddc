// Calls per second and times of the last hour: two charts, and a table that says the same.

import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { Loaded } from '../../components/loaded';
import { Table, type Column } from '../../components/table';
import { Duration, Time } from '../../components/time';
import { useQuery } from '../../app/router';
import { duration } from '../../lib/time';
import { spelled } from '../../lib/visible';
import { language, t } from '../../text';
import { height, latest, path, rows, top, width, type Row } from './scale';

// The server adds a value each ten seconds.
const pace = 10_000;
const tableRows = 20;

export function Charts() {
  const [query, setQuery] = useQuery();
  const live = useLive<Schemas['MetricsHistory']>('history', (signal) => api.get('/v1/metrics/history', { signal }), pace);
  const chosen = query.get('pool') ?? '';
  return (
    <section class="stack" aria-labelledby="hour">
      <h2 id="hour">{t().fleet.hour}</h2>
      <Loaded of={live}>{(data) => {
        const s = data.pools.find((p) => p.name === chosen) ?? data.total;
        return (
          <>
            <label class="field fleet-choice">{t().fleet.pool}
              <select name="pool" value={s.name} onChange={(e) => setQuery({ pool: e.currentTarget.value })}>
                <option value="">{t().fleet.allPools}</option>
                {data.pools.map((p) => <option key={p.name} value={p.name}>{spelled(p.name)}</option>)}
              </select>
            </label>
            {data.times.length < 2 ? <p class="faint fleet-none">{t().fleet.noHistory}</p> : (
              <>
                <div class="fleet-charts">
                  <Chart title={t().fleet.throughput} times={data.times} unit={(n) => t().fleet.perSecond(n)}
                    lines={[{ name: t().fleet.succeeded, kind: 'good', values: s.success }, { name: t().fleet.failed, kind: 'bad', values: s.error }]} />
                  <Chart title={t().fleet.latency} times={data.times} unit={(n) => duration(n, language.value)}
                    lines={[{ name: t().fleet.p50, kind: 'good', values: s.p50_ms }, { name: t().fleet.p99, kind: 'bad', values: s.p99_ms }]} />
                </div>
                <details><summary>{t().fleet.asTable}</summary><Numbers of={rows(data.times, s, tableRows)} /></details>
              </>
            )}
          </>
        );
      }}</Loaded>
    </section>
  );
}

interface Line {
  readonly name: string;
  readonly kind: 'good' | 'bad';
  readonly values: readonly (number | null)[];
}

function Chart({ title, times, unit, lines }: { title: string; times: readonly string[]; unit: (n: number) => string; lines: readonly Line[] }) {
  const most = top(lines.flatMap((l) => l.values));
  const said = lines.map((l) => { const v = latest(l.values); return `${l.name}: ${v === null ? '–' : unit(v)}`; });
  return (
    <figure class="card fleet-chart">
      <figcaption>
        <h3>{title}</h3>
        <p class="small">{lines.map((l, i) => <span key={l.name} class={`fleet-key ${l.kind}`}>{said[i]}</span>)}</p>
      </figcaption>
      <p class="fleet-axis"><span>{unit(most)}</span></p>
      {/* The lines keep their width however the page stretches the chart. */}
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={t().fleet.chart(title, said.join(', '))}>
        {[0, height / 2, height].map((y) => <line key={y} class="fleet-grid" x1="0" x2={width} y1={y} y2={y} />)}
        {lines.map((l) => <path key={l.name} class={`fleet-line ${l.kind}`} d={path(l.values, most)} />)}
      </svg>
      <p class="fleet-axis"><Time at={times[0]} /><Time at={times.at(-1)} /></p>
    </figure>
  );
}

function Numbers({ of }: { of: readonly Row[] }) {
  const rate = (n: number) => n.toLocaleString(language.value, { maximumFractionDigits: 2 });
  const columns: readonly Column<Row>[] = [
    { id: 'to', label: t().fleet.until, main: true, cell: (r) => <Time at={r.to} /> },
    { id: 'success', label: t().fleet.succeededRate, numeric: true, cell: (r) => <span class="number">{rate(r.success)}</span> },
    { id: 'error', label: t().fleet.failedRate, numeric: true, cell: (r) => <span class="number">{rate(r.error)}</span> },
    { id: 'p50', label: t().fleet.p50, numeric: true, cell: (r) => <Duration ms={r.p50 ?? undefined} /> },
    { id: 'p99', label: t().fleet.p99, numeric: true, cell: (r) => <Duration ms={r.p99 ?? undefined} /> },
  ];
  return <Table caption={t().fleet.hour} columns={columns} rows={of} keyOf={(r) => r.to} />;
}
