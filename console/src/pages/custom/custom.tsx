// Tools that models wrote for people.

import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { useQuery } from '../../app/router';
import { me } from '../../app/session';
import { Risk } from '../../components/badge';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { Empty, Failure, Stale } from '../../components/failure';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { t } from '../../text';
import { Details } from './details';

type Custom = Schemas['CustomTool'];

export default function CustomTools() {
  const [query, setQuery] = useQuery();
  // Models write tools at any time, and no event tells: read now and then.
  const { data, problem, refresh } = useLive('custom', (signal) => api.get('/v1/custom-tools', { query: {}, signal }), 15_000);
  const [tool, owner] = [query.get('tool') ?? '', query.get('owner') ?? ''];
  const text = t().custom;
  return (
    <Page title={text.title}>
      <p class="faint">{text.intro}</p>
      <Stale problem={data && problem} />
      {!data && problem && <Failure problem={problem} retry={refresh} />}
      {!data && !problem && <p class="faint" aria-busy="true">{t().common.loading}</p>}
      {data?.tools.length === 0 && <Empty title={text.empty}>{text.emptyText}</Empty>}
      {data && data.tools.length > 0 && <List tools={data.tools} open={(c) => setQuery({ tool: c.name, owner: c.owner })} />}
      {tool && (
        <Dialog title={text.details} onClose={() => setQuery({ tool: '', owner: '' })}>
          <Details name={tool} owner={owner} changed={refresh} gone={() => { setQuery({ tool: '', owner: '' }); refresh(); }} />
        </Dialog>
      )}
    </Page>
  );
}

function List({ tools, open }: { tools: readonly Custom[]; open: (c: Custom) => void }) {
  const text = t().custom;
  const columns: Column<Custom>[] = [
    { id: 'name', label: text.name, main: true, cell: (c) => <Plain text={c.name} most={80} /> },
    { id: 'description', label: text.description, cell: (c) => <Plain text={c.description} most={120} /> },
    ...(me.value.user && tools.every((c) => c.owner === me.value.user) ? [] : [{ id: 'owner', label: text.owner, cell: (c: Custom) => <Plain text={c.owner} most={60} /> }]),
    { id: 'state', label: text.state, cell: (c) => <><span class={c.enabled ? 'badge good' : 'badge calm'}>{c.enabled ? text.on : text.off}</span>{c.shared_version > 0 && <> <span class="badge calm">{text.sharedBadge}</span></>}</> },
    { id: 'risk', label: text.risk, cell: (c) => <Risk of={c.risk} /> },
    { id: 'changed', label: text.changed, cell: (c) => <Time at={c.updated_at} /> },
    { id: 'act', label: text.details, cell: (c) => <Button label={text.openOf(c.name)} onClick={() => open(c)}>{text.open}</Button> },
  ];
  return <Table caption={text.title} columns={columns} rows={tools} keyOf={(c) => `${c.owner} ${c.name}`} />;
}
