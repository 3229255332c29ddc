// The calls of the tenant, the newest first, live.

import { Button } from '../../components/button';
import { Status } from '../../components/badge';
import { Empty, Failure, Stale } from '../../components/failure';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { Duration, Time } from '../../components/time';
import { useQuery } from '../../app/router';
import { t } from '../../text';
import { Filter } from './filter';
import { filters, useCalls, type Filters, type Summary } from './list';

export default function Calls() {
  const [query, setQuery] = useQuery();
  const chosen: Filters = Object.fromEntries(filters.map((f) => [f, query.get(f)]).filter(([, v]) => v));
  const found = useCalls(chosen);
  const { calls, live } = found;
  return (
    <Page title={t().calls.title}>
      <Filter chosen={chosen} change={setQuery} />
      <p class="sr" role="status">{calls && t().calls.found(calls.length, found.more)}</p>
      <Stale problem={calls && live.problem} />
      {!calls && live.problem && <Failure problem={live.problem} retry={live.refresh} />}
      {!calls && !live.problem && <p class="faint" aria-busy="true">{t().common.loading}</p>}
      {calls?.length === 0 && <Empty title={t().calls.empty}>{Object.keys(chosen).length > 0 ? t().calls.emptyFiltered : t().calls.emptyText}</Empty>}
      {calls && calls.length > 0 && <List calls={calls} />}
      {found.problem && <Failure problem={found.problem} />}
      {found.more && <p class="calls-more"><Button onClick={found.showMore}>{t().common.more}</Button></p>}
    </Page>
  );
}

export function List({ calls }: { calls: readonly Summary[] }) {
  const columns: readonly Column<Summary>[] = [
    { id: 'tool', label: t().calls.tool, main: true, cell: (c) => <a href={`/calls/${encodeURIComponent(c.call_id)}`}><Plain text={c.tool} most={64} /></a> },
    { id: 'state', label: t().calls.state, cell: (c) => <Status of={c.state === 'done' ? c.status : c.state} /> },
    { id: 'why', label: t().calls.summary, cell: (c) => <Why of={c} /> },
    { id: 'who', label: t().calls.who, cell: (c) => <Who of={c} /> },
    { id: 'since', label: t().calls.since, cell: (c) => <Time at={c.since} /> },
    { id: 'took', label: t().calls.took, numeric: true, cell: (c) => <Duration ms={c.state === 'done' ? c.duration_ms ?? 0 : undefined} /> },
  ];
  return <Table caption={t().calls.title} columns={columns} rows={calls} keyOf={(c) => c.call_id} />;
}

function Why({ of: c }: { of: Summary }) {
  const text = [c.error_type, c.summary].filter(Boolean).join(': ');
  return text ? <Plain text={text} most={100} /> : <span class="faint">–</span>;
}

function Who({ of: c }: { of: Summary }) {
  const who = [c.user, c.agent].filter((x): x is string => !!x);
  return who.length > 0 ? <Plain text={who.join(' · ')} most={64} /> : <span class="faint">–</span>;
}
