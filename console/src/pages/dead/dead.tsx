// Messages of the queue that no worker could read, to look at, put back or drop.

import { useState } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { Empty } from '../../components/failure';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { useQuery } from '../../app/router';
import { language, t } from '../../text';
import { Letter } from './letter';

type DeadLetter = Schemas['DeadLetter'];

// The API has no stream of dead letters; they are rare, so a slow look suffices.
const pace = 5000;
const size = 200;

export default function Dead() {
  const [query, setQuery] = useQuery();
  const cursor = query.get('cursor') ?? '';
  const [open, setOpen] = useState<number>();
  const live = useLive<Schemas['DeadList']>(`dead ${cursor}`, (signal) => api.get('/v1/dead', { query: { limit: size, cursor }, signal }), pace);
  const columns: readonly Column<DeadLetter>[] = [
    { id: 'seq', label: t().dead.letter, main: true, cell: (d) => <span class="number">{d.seq}</span> },
    { id: 'tool', label: t().dead.tool, cell: (d) => d.tool ? <Plain text={d.tool} most={64} /> : <span class="faint">{t().dead.unreadable}</span> },
    { id: 'reason', label: t().dead.reason, cell: (d) => <Plain text={d.reason} most={160} /> },
    { id: 'pool', label: t().dead.pool, cell: (d) => <Plain text={d.pool} most={64} /> },
    { id: 'who', label: t().dead.who, cell: (d) => <Plain text={[d.user, d.agent].filter(Boolean).join(' · ') || '–'} most={64} /> },
    { id: 'bytes', label: t().dead.bytes, numeric: true, cell: (d) => <span class="number">{d.bytes.toLocaleString(language.value)}</span> },
    { id: 'at', label: t().dead.at, cell: (d) => <Time at={d.at} /> },
    { id: 'open', label: t().dead.actions, cell: (d) => <Button label={t().dead.openNumber(d.seq)} onClick={() => setOpen(d.seq)}>{t().dead.open}</Button> },
  ];
  return (
    <Page title={t().dead.title}>
      <p class="faint">{t().dead.about}</p>
      <Loaded of={live}>{(data) => (
        <>
          {data.dead.length === 0 ? <Empty title={t().dead.empty}>{t().dead.emptyText}</Empty> : <Table caption={t().dead.title} columns={columns} rows={data.dead} keyOf={(d) => String(d.seq)} />}
          <div class="buttons">
            {cursor && <Button onClick={() => setQuery({ cursor: '' })}>{t().dead.first}</Button>}
            {data.next && <Button onClick={() => setQuery({ cursor: data.next ?? '' })}>{t().dead.next}</Button>}
          </div>
        </>
      )}</Loaded>
      {open !== undefined && <Dialog title={t().dead.number(open)} onClose={() => setOpen(undefined)}><Letter seq={open} done={() => { setOpen(undefined); live.refresh(); }} /></Dialog>}
    </Page>
  );
}
