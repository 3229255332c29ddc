// The report of decisions: who allowed what, and how fast, with a file for a spreadsheet.

import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { useQuery } from '../../app/router';
import { Button } from '../../components/button';
import { Empty } from '../../components/failure';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { Duration } from '../../components/time';
import { save } from '../../lib/save';
import { absolute } from '../../lib/time';
import { language, t } from '../../text';
import { csvOf, decidersOf, decisionsOf, type Decider, type Decision } from './report';

const hour = 3_600_000;
const periods = { '24h': 24 * hour, '7d': 168 * hour, '31d': 744 * hour } as const;
export type Period = keyof typeof periods;

// A request may have waited this long before the period began.
const longest = 25 * hour;
const [size, mostPages] = [1000, 5];

// all reads the newest records of a phase since a time, up to a bound; `more` if there are others.
async function all(phase: 'consent_decided' | 'consent_requested', since: number, signal: AbortSignal) {
  const records: Schemas['AuditRecord'][] = [];
  let before = '';
  for (let n = 0; n < mostPages; n++) {
    const page = await api.get('/v1/audit', { query: { phase, from: new Date(since).toISOString(), newest: 'true', limit: size, before }, signal });
    records.push(...page.records);
    before = page.older ?? '';
    if (!before) return { records, more: false };
  }
  return { records, more: true };
}

export default function Decisions() {
  const [query, setQuery] = useQuery();
  const period = (Object.keys(periods) as Period[]).find((p) => p === query.get('range')) ?? '7d';
  const text = t().decisions;
  // Once: the records are many, and a report does not change below the eyes of its reader.
  const live = useLive(period, async (signal) => {
    const since = Date.now() - periods[period];
    const [decided, requested] = await Promise.all([all('consent_decided', since, signal), all('consent_requested', since - longest, signal)]);
    return { list: decisionsOf(decided.records, requested.records), more: decided.more };
  });
  const list = live.data?.list ?? [];
  const file = () => save(new Blob([csvOf(list)], { type: 'text/csv;charset=utf-8' }), 'helve-decisions.csv');
  return (
    <Page title={text.title} aside={list.length > 0 && <Button onClick={file}>{text.csv}</Button>}>
      <div class="stack">
        <label class="field decisions-range">{text.period}
          <select name="range" value={period} onChange={(e) => setQuery({ range: e.currentTarget.value })}>
            {(Object.keys(periods) as Period[]).map((p) => <option key={p} value={p}>{text.periods[p]}</option>)}
          </select>
        </label>
        <Loaded of={live}>{(data) => data.list.length === 0 ? <Empty title={text.empty} /> : (
          <>
            <section aria-labelledby="deciders"><h2 id="deciders">{text.deciders}</h2><Deciders of={decidersOf(data.list)} /></section>
            <section aria-labelledby="decided">
              <h2 id="decided">{text.decisions}</h2>
              {data.more && <p class="faint">{text.newest(data.list.length)}</p>}
              <List of={data.list} />
            </section>
          </>
        )}</Loaded>
      </div>
    </Page>
  );
}

const name = (text: string) => (text ? <Plain text={text} most={64} /> : <span class="faint">–</span>);

function Deciders({ of }: { of: readonly Decider[] }) {
  const text = t().decisions;
  const columns: readonly Column<Decider>[] = [
    { id: 'by', label: text.by, main: true, cell: (d) => name(d.by) },
    { id: 'all', label: text.decisions, numeric: true, cell: (d) => <span class="number">{text.number(d.all)}</span> },
    { id: 'allowed', label: text.allowed, numeric: true, cell: (d) => <span class="number">{text.number(d.allowed)}</span> },
    { id: 'median', label: text.median, numeric: true, cell: (d) => <Duration ms={d.median} /> },
  ];
  return <Table caption={text.deciders} columns={columns} rows={of} keyOf={(d) => d.by} />;
}

function List({ of }: { of: readonly Decision[] }) {
  const text = t().decisions;
  const columns: readonly Column<Decision>[] = [
    { id: 'at', label: text.at, main: true, cell: (d) => <time dateTime={d.at}>{absolute(Date.parse(d.at), language.value)}</time> },
    { id: 'by', label: text.by, cell: (d) => name(d.by) },
    { id: 'outcome', label: text.outcome, cell: (d) => <span class={d.allowed ? 'badge good' : 'badge bad'}>{d.allowed ? text.allowed : text.blocked}</span> },
    { id: 'waited', label: text.waited, numeric: true, cell: (d) => <Duration ms={d.waited} /> },
    { id: 'user', label: text.user, cell: (d) => name(d.user) },
    { id: 'agent', label: text.agent, cell: (d) => name(d.agent) },
    { id: 'tool', label: text.tool, cell: (d) => (d.call ? <a href={`/calls/${encodeURIComponent(d.call)}`}>{name(d.tool)}</a> : name(d.tool)) },
  ];
  return <Table caption={text.decisions} columns={columns} rows={of} keyOf={(d) => d.id} />;
}
