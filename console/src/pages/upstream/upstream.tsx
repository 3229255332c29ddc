// Tools of MCP servers and OpenAPI services. A definition that is new or has changed waits
// until a person has read it: it could tell models anything.

import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { useQuery } from '../../app/router';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { Empty, Failure, Stale } from '../../components/failure';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { t } from '../../text';
import { Review } from './review';

type Entry = Schemas['UpstreamTool'];

export default function Upstream() {
  const [query, setQuery] = useQuery();
  // Servers are read by workers at any time, and no event tells: read now and then.
  const { data, problem, refresh } = useLive('upstream', (signal) => api.get('/v1/upstream', { query: {}, signal }), 15_000);
  const open = query.get('review') ?? '';
  const waiting = data?.tools.filter((e) => e.state !== 'accepted') ?? [];
  const accepted = data?.tools.filter((e) => e.state === 'accepted') ?? [];
  const text = t().upstream;
  return (
    <Page title={text.title}>
      <Stale problem={data && problem} />
      {!data && problem && <Failure problem={problem} retry={refresh} />}
      {!data && !problem && <p class="faint" aria-busy="true">{t().common.loading}</p>}
      {data?.tools.length === 0 && <Empty title={text.empty}>{text.emptyText}</Empty>}
      {data && data.tools.length > 0 && (
        <div class="stack">
          <section aria-labelledby="waiting">
            <h2 id="waiting">{text.waiting}</h2>
            <p class="faint" role="status">{text.nWaiting(waiting.length)}</p>
            {waiting.length > 0 && <Waiting of={waiting} review={(name) => setQuery({ review: name })} />}
          </section>
          {accepted.length > 0 && <section aria-labelledby="accepted"><h2 id="accepted">{text.accepted}</h2><Accepted of={accepted} /></section>}
        </div>
      )}
      {open && (
        <Dialog title={text.review} onClose={() => setQuery({ review: '' })}>
          <Review name={open} done={() => { setQuery({ review: '' }); refresh(); }} />
        </Dialog>
      )}
    </Page>
  );
}

function Waiting({ of, review }: { of: readonly Entry[]; review: (name: string) => void }) {
  const text = t().upstream;
  const columns: readonly Column<Entry>[] = [
    { id: 'tool', label: text.tool, main: true, cell: (e) => <Plain text={e.tool} most={80} /> },
    { id: 'server', label: text.server, cell: (e) => <Plain text={e.server} most={60} /> },
    { id: 'state', label: text.state, cell: (e) => <span class="badge warn">{e.state === 'new' ? text.isNew : text.changed}</span> },
    { id: 'seen', label: text.seen, cell: (e) => <Time at={e.seen_at} /> },
    { id: 'act', label: text.review, cell: (e) => <Button onClick={() => review(e.tool)} label={text.reviewOf(e.tool)}>{text.review}</Button> },
  ];
  return <Table caption={text.waiting} columns={columns} rows={of} keyOf={(e) => e.tool} />;
}

function Accepted({ of }: { of: readonly Entry[] }) {
  const text = t().upstream;
  const columns: readonly Column<Entry>[] = [
    { id: 'tool', label: text.tool, main: true, cell: (e) => <a href={`/tools/${encodeURIComponent(e.tool)}`}><Plain text={e.tool} most={80} /></a> },
    { id: 'server', label: text.server, cell: (e) => <Plain text={e.server} most={60} /> },
    { id: 'by', label: text.by, cell: (e) => (e.by ? <Plain text={e.by} most={60} /> : <span class="faint">–</span>) },
    { id: 'at', label: text.at, cell: (e) => <Time at={e.at} /> },
  ];
  return <Table caption={text.accepted} columns={columns} rows={of} keyOf={(e) => e.tool} />;
}
