// How the workers did, the pools and workers, and what waits for them.

import { api, type Schemas } from '../../api/client';
import { useLive, type Live } from '../../api/live';
import { Empty } from '../../components/failure';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { Duration, Time } from '../../components/time';
import { has, ofSystem } from '../../app/session';
import { language, t } from '../../text';
import { History } from '../overview/history';
import { Orders } from './orders';
import { Remote } from './remote';

type Pool = Schemas['Pool'];
type Worker = Schemas['Worker'];

// Heartbeats come each two seconds, and the API has no stream of them.
const pace = 2000;

export default function Fleet() {
  const pools = useLive<Schemas['PoolList']>('pools', (signal) => api.get('/v1/pools', { signal }), pace);
  const workers = useLive<Schemas['WorkerList']>('workers', (signal) => api.get('/v1/workers', { query: { brief: 'true' }, signal }), pace);
  const both = () => { pools.refresh(); workers.refresh(); };
  return (
    <Page title={t().fleet.title}>
      <div class="stack">
        <History />
        <Pools of={pools} changed={both} />
        <Workers of={workers} changed={both} />
        <Remote />
      </div>
    </Page>
  );
}

function number(n: number) {
  return <span class="number">{n.toLocaleString(language.value, { maximumFractionDigits: 1 })}</span>;
}

function Pools({ of, changed }: { of: Live<Schemas['PoolList']>; changed: () => void }) {
  const columns: readonly Column<Pool>[] = [
    { id: 'name', label: t().fleet.pool, main: true, cell: (p) => <Plain text={p.name} most={64} /> },
    { id: 'state', label: t().fleet.state, cell: (p) => <PoolState of={p} /> },
    { id: 'backlog', label: t().fleet.backlog, numeric: true, cell: (p) => number(p.backlog) },
    { id: 'oldest', label: t().fleet.oldest, numeric: true, cell: (p) => <Duration ms={p.backlog > 0 ? p.oldest_seconds * 1000 : undefined} /> },
    { id: 'slots', label: t().fleet.slots, numeric: true, cell: (p) => <span class="number">{t().fleet.of(p.busy, p.slots)}</span> },
    { id: 'rate', label: t().fleet.rate, numeric: true, cell: (p) => number(p.rate) },
    { id: 'workers', label: t().fleet.workers, numeric: true, cell: (p) => number(p.workers) },
    ...(has('admin') && ofSystem() ? [{ id: 'orders', label: t().fleet.orders, cell: (p: Pool) => <Orders kind="pools" name={p.name} paused={!!p.paused} changed={changed} /> }] : []),
  ];
  return (
    <section class="fleet-list" aria-labelledby="pools">
      <h2 id="pools">{t().fleet.pools}</h2>
      <Loaded of={of}>{({ pools }) => pools.length === 0
        ? <Empty title={t().fleet.noPools}>{t().fleet.noPoolsText}</Empty>
        : <Table caption={t().fleet.pools} columns={columns} rows={pools} keyOf={(p) => p.name} />}</Loaded>
    </section>
  );
}

function PoolState({ of: p }: { of: Pool }) {
  if (p.paused) {
    return <span><span class="badge warn">{t().fleet.paused}</span>{p.paused_by && <> {t().fleet.by} <Plain text={p.paused_by} most={64} /></>}{p.paused_since && <> <Time at={p.paused_since} /></>}</span>;
  }
  if (p.workers === 0) return <span class="badge bad">{t().fleet.noWorker}</span>;
  if (p.paused_workers) return <span class="badge warn">{t().fleet.pausedWorkers(p.paused_workers)}</span>;
  return <span class="badge good">{t().fleet.running}</span>;
}

function Workers({ of, changed }: { of: Live<Schemas['WorkerList']>; changed: () => void }) {
  const columns: readonly Column<Worker>[] = [
    { id: 'id', label: t().fleet.worker, main: true, cell: (w) => <Plain text={w.id} most={64} /> },
    { id: 'state', label: t().fleet.state, cell: (w) => <WorkerState of={w} /> },
    { id: 'pools', label: t().fleet.pools, cell: (w) => <Plain text={w.pools.join(', ')} most={80} /> },
    { id: 'slots', label: t().fleet.slots, numeric: true, cell: (w) => <span class="number">{t().fleet.of(w.busy, w.slots)}</span> },
    { id: 'rate', label: t().fleet.rate, numeric: true, cell: (w) => number(w.rate) },
    { id: 'version', label: t().fleet.version, cell: (w) => <Plain text={w.version} most={40} /> },
    { id: 'since', label: t().fleet.since, cell: (w) => <Time at={w.since} /> },
    ...(has('admin') && ofSystem() ? [{ id: 'orders', label: t().fleet.orders, cell: (w: Worker) => <Orders kind="workers" name={w.id} paused={w.state === 'paused'} changed={changed} /> }] : []),
  ];
  return (
    <section class="fleet-list" aria-labelledby="workers">
      <h2 id="workers">{t().fleet.workers}</h2>
      <Loaded of={of}>{({ workers }) => workers.length === 0
        ? <Empty title={t().fleet.noWorkers}>{t().fleet.noPoolsText}</Empty>
        : <Table caption={t().fleet.workers} columns={columns} rows={workers} keyOf={(w) => w.id} />}</Loaded>
    </section>
  );
}

function WorkerState({ of: w }: { of: Worker }) {
  if (w.state === 'paused') return <span class="badge warn">{t().fleet.paused}</span>;
  if (w.paused?.length) return <span><span class="badge warn">{t().fleet.pausedFor}</span> <Plain text={w.paused.join(', ')} most={80} /></span>;
  return <span class="badge good">{t().fleet.running}</span>;
}
