// The catalogue. It is searched by the server, as tools.list is for models.

import { useEffect, useState } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { useQuery } from '../../app/router';
import { has } from '../../app/session';
import { Risk } from '../../components/badge';
import { Empty, Failure, Stale } from '../../components/failure';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { Duration } from '../../components/time';
import { spelled } from '../../lib/visible';
import { t } from '../../text';
import { hrefOf } from './href';
import { ordered, orders, type Stats } from './order';
import { Spark } from './spark';

type Tool = Schemas['Tool'];

export default function Tools() {
  const [query, setQuery] = useQuery();
  const [q, group, category] = ['q', 'group', 'category'].map((n) => query.get(n) ?? '') as [string, string, string];
  const filtered = q + group + category !== '';
  // Workers bring tools at any time, and no event tells: read now and then.
  const { data, problem, refresh } = useLive(JSON.stringify([q, group, category]), (signal) => api.get('/v1/tools', { query: { q, group, category }, signal }) as Promise<Schemas['ToolList']>, 15_000);
  const groups = useLive('groups', (signal) => api.get('/v1/groups', { query: {}, signal })).data?.groups ?? [];
  const watched = has('auditor', 'admin');
  const stats = useLive('stats', async (signal): Promise<Stats> => new Map(watched ? (await api.get('/v1/tool-stats', { query: { from: '24h' }, signal })).tools.map((s) => [s.tool, s]) : []), watched ? 60_000 : 0).data;
  const order = watched ? orders.find((o) => o === query.get('sort')) ?? 'name' : 'name';
  const categories = [...new Set([...groups.map((g) => g.category), ...(category ? [category] : [])])].sort();
  return (
    <Page title={t().tools.title}>
      <search class="filters">
        <Search value={q} change={(text) => setQuery({ q: text })} />
        <label class="field">{t().tools.group}
          <select value={group} onChange={(e) => setQuery({ group: e.currentTarget.value })}>
            <option value="">{t().common.all}</option>
            {group && !groups.some((g) => g.name === group) && <option value={group}>{spelled(group)}</option>}
            {groups.map((g) => <option key={g.name} value={g.name}>{spelled(g.title || g.name)}</option>)}
          </select>
        </label>
        <label class="field">{t().tools.category}
          <select value={category} onChange={(e) => setQuery({ category: e.currentTarget.value })}>
            <option value="">{t().common.all}</option>
            {categories.map((c) => <option key={c} value={c}>{spelled(c)}</option>)}
          </select>
        </label>
        {watched && <label class="field">{t().tools.sort}
          <select name="sort" value={order} onChange={(e) => setQuery({ sort: e.currentTarget.value })}>
            {orders.map((o) => <option key={o} value={o}>{t().tools.orders[o]}</option>)}
          </select>
        </label>}
      </search>
      <p class="faint tools-count" role="status">{data && t().tools.found(data.tools.length)}</p>
      <Stale problem={data && problem} />
      {!data && problem && <Failure problem={problem} retry={refresh} />}
      {!data && !problem && <p class="faint" aria-busy="true">{t().common.loading}</p>}
      {data?.tools.length === 0 && <Empty title={t().tools.empty}>{filtered ? t().tools.emptyFiltered : t().tools.emptyText}</Empty>}
      {data && data.tools.length > 0 && <List tools={ordered(data.tools, stats, order)} stats={watched ? stats ?? new Map() : undefined} />}
      {data && data.load_errors.length > 0 && <LoadErrors of={data.load_errors} />}
    </Page>
  );
}

// Search waits for a pause in the typing before it searches.
function Search({ value, change }: { value: string; change: (text: string) => void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => change(text), 200);
    return () => clearTimeout(timer);
  }, [text]);
  return <label class="field search">{t().common.search}<input type="search" name="q" maxLength={200} value={text} onInput={(e) => setText(e.currentTarget.value)} /></label>;
}

// Numbers of calls are of the last 24 hours, for those who may read everybody's.
function List({ tools, stats }: { tools: readonly Tool[]; stats: Stats | undefined }) {
  const text = t().tools;
  const columns: readonly Column<Tool>[] = [
    { id: 'name', label: t().tools.name, main: true, cell: (d) => <a href={hrefOf(d.name)}><Plain text={d.name} most={80} /></a> },
    { id: 'description', label: t().tools.description, cell: (d) => <Plain text={firstLine(d.description)} most={160} /> },
    ...(stats ? [
      { id: 'calls', label: text.calls, numeric: true, cell: (d: Tool) => { const s = stats.get(d.name); return s ? <span class="tools-calls number"><Spark of={s} />{text.number(s.calls)}</span> : <span class="faint">–</span>; } },
      { id: 'errors', label: text.errors, numeric: true, cell: (d: Tool) => { const s = stats.get(d.name); return s ? <span class="number">{text.share(s.errors, s.calls)}</span> : <span class="faint">–</span>; } },
      { id: 'p99', label: text.p99, numeric: true, cell: (d: Tool) => <Duration ms={stats.get(d.name)?.p99_ms} /> },
    ] : []),
    { id: 'group', label: t().tools.group, cell: (d) => <span class="tools-group"><Plain text={d.group} most={60} /></span> },
    { id: 'risk', label: t().tools.risk, cell: (d) => <><Risk of={d.risk} />{!d.enabled && <> <span class="badge warn">{t().tools.off}</span></>}</> },
  ];
  return <Table caption={t().tools.title} columns={columns} rows={tools} keyOf={(d) => d.name} />;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

function LoadErrors({ of }: { of: readonly Schemas['LoadError'][] }) {
  return (
    <section class="tools-errors" aria-labelledby="load-errors">
      <h2 id="load-errors">{t().tools.loadErrors(of.length)}</h2>
      <p class="faint">{t().tools.loadErrorsText}</p>
      <ul class="stack">
        {of.map((e, i) => <li key={i}><strong><Plain text={e.file} most={120} /></strong>{e.entry !== null && <> {t().tools.entry(e.entry)}</>}: <Plain text={e.reason} most={400} /></li>)}
      </ul>
    </section>
  );
}
