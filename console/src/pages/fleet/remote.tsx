// Processes that run tools in any language and are no workers of Helve.

import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { Empty } from '../../components/failure';
import { Loaded } from '../../components/loaded';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { t } from '../../text';

type Instance = Schemas['RemoteInstance'];

// They register again every few seconds, and the API has no stream of that.
const pace = 5000;

export function Remote() {
  const live = useLive<Schemas['RemoteList']>('remote', (signal) => api.get('/v1/remote', { signal }), pace);
  const columns: readonly Column<Instance>[] = [
    { id: 'id', label: t().fleet.instance, main: true, cell: (i) => <Plain text={i.instance} most={64} /> },
    { id: 'tools', label: t().fleet.tools, cell: (i) => <Tools of={i} /> },
    { id: 'seen', label: t().fleet.lastSeen, cell: (i) => <Time at={i.last_seen} /> },
  ];
  return (
    <section class="fleet-list" aria-labelledby="remote">
      <h2 id="remote">{t().fleet.remote}</h2>
      <Loaded of={live}>{({ instances }) => instances.length === 0
        ? <Empty title={t().fleet.noRemote}>{t().fleet.noRemoteText}</Empty>
        : <Table caption={t().fleet.remote} columns={columns} rows={instances} keyOf={(i) => i.instance} />}</Loaded>
    </section>
  );
}

function Tools({ of: i }: { of: Instance }) {
  if (i.tools.length === 0) return <span class="faint">–</span>;
  return <>{i.tools.map((x, n) => <span key={x.name}>{n > 0 && ', '}<a href={`/tools/${encodeURIComponent(x.name)}`}><Plain text={x.name} most={64} /></a>{x.version && <> <span class="faint"><Plain text={x.version} most={20} /></span></>}</span>)}</>;
}
