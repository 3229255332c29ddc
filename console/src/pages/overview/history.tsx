// What the workers did in the last hour, day or week: charts, and a table that says the same.

import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { Chart } from '../../components/chart';
import { Loaded } from '../../components/loaded';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { Duration } from '../../components/time';
import { useQuery } from '../../app/router';
import { duration, moment } from '../../lib/time';
import { spelled } from '../../lib/visible';
import { language, t } from '../../text';
import { rows, shown, type Row, type Span, spans } from './rows';

// The server has new values each ten seconds; of a longer time they change little.
const pace = { '1h': 10_000, '24h': 60_000, '7d': 60_000 } satisfies Record<Span, number>;
const tableRows = 24;

export function History() {
  const [query, setQuery] = useQuery();
  const span = spans.find((s) => s === query.get('range')) ?? '1h';
  const live = useLive<Schemas['MetricsHistory']>(`history ${span}`, (signal) => api.get('/v1/metrics/history', { query: { range: span }, signal }), pace[span]);
  const text = t().overview;
  return (
    <section class="stack" aria-labelledby="history">
      <div class="overview-choice">
        <h2 id="history">{text.history}</h2>
        <label class="field">{text.range}
          <select name="range" value={span} onChange={(e) => setQuery({ range: e.currentTarget.value })}>
            {spans.map((s) => <option key={s} value={s}>{text.spans[s]}</option>)}
          </select>
        </label>
        <label class="field">{t().fleet.pool}
          <select name="pool" value={query.get('pool') ?? ''} onChange={(e) => setQuery({ pool: e.currentTarget.value })}>
            <option value="">{text.allPools}</option>
            {live.data?.pools.map((p) => <option key={p.name} value={p.name}>{spelled(p.name)}</option>)}
          </select>
        </label>
      </div>
      <Loaded of={live}>{(data) => <>{data.note && <p class="tools-warning" role="status"><Plain text={data.note} most={300} /></p>}<Charts of={data} pool={query.get('pool') ?? ''} /></>}</Loaded>
    </section>
  );
}

function Charts({ of: data, pool }: { of: Schemas['MetricsHistory']; pool: string }) {
  const text = t().overview;
  if (!data.known.includes(true)) return <p class="faint overview-none">{text.none}</p>;
  const s = shown(data, pool);
  const whole = (n: number) => n.toLocaleString(language.value, { maximumFractionDigits: 0 });
  return (
    <>
      <div class="overview-charts">
        <Chart title={text.throughput} times={data.times} unit={text.perSecond}
          lines={[{ name: text.succeeded, kind: 'good', values: s.success }, { name: text.failed, kind: 'bad', values: s.error }]} />
        <Chart title={text.latency} times={data.times} unit={(n) => duration(n, language.value)}
          lines={[{ name: text.p50, kind: 'good', values: s.p50 }, { name: text.p99, kind: 'bad', values: s.p99 }]} />
        <Chart title={text.backlog} times={data.times} unit={whole} lines={[{ name: text.waiting, kind: 'warn', values: s.backlog }]} />
        <Chart title={text.slots} times={data.times} unit={whole}
          lines={[{ name: text.busy, kind: 'accent', values: s.busy }, { name: text.all, kind: 'good', values: s.slots }]} />
      </div>
      <details><summary>{text.asTable}</summary><Numbers of={rows(data.times, s, tableRows)} /></details>
    </>
  );
}

function Numbers({ of }: { of: readonly Row[] }) {
  const text = t().overview;
  const number = (n: number | null) => <span class="number">{n === null ? '–' : n.toLocaleString(language.value, { maximumFractionDigits: 2 })}</span>;
  const columns: readonly Column<Row>[] = [
    { id: 'to', label: text.until, main: true, cell: (r) => <time class="number" dateTime={r.to}>{moment(Date.parse(r.to), language.value)}</time> },
    { id: 'success', label: text.succeededRate, numeric: true, cell: (r) => number(r.success) },
    { id: 'error', label: text.failedRate, numeric: true, cell: (r) => number(r.error) },
    { id: 'p50', label: text.p50, numeric: true, cell: (r) => <Duration ms={r.p50 ?? undefined} /> },
    { id: 'p99', label: text.p99, numeric: true, cell: (r) => <Duration ms={r.p99 ?? undefined} /> },
    { id: 'backlog', label: text.waiting, numeric: true, cell: (r) => number(r.backlog) },
    { id: 'busy', label: text.busy, numeric: true, cell: (r) => number(r.busy) },
    { id: 'slots', label: text.all, numeric: true, cell: (r) => number(r.slots) },
  ];
  return <Table caption={text.history} columns={columns} rows={of} keyOf={(r) => r.to} />;
}
