// Agents with rules of their own: which tools and groups they may use.

import { useState } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { has } from '../../app/session';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { Empty, Failure, Stale } from '../../components/failure';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { t } from '../../text';
import { Edit } from './edit';

type Agent = Schemas['Agent'];

const nobody: Agent = { agent: '', tools: [], groups: [], deny: [] };

export default function Agents() {
  // Once, and after changes: records change rarely, and only by people.
  const { data, problem, refresh } = useLive('agents', (signal) => api.get('/v1/agents', { signal }));
  const [edited, setEdited] = useState<Agent>();
  const text = t().agents;
  const done = () => { setEdited(undefined); refresh(); };
  return (
    <Page title={text.title} aside={has('admin') && <Button kind="primary" onClick={() => setEdited(nobody)}>{text.add}</Button>}>
      <p class="faint">{text.intro}</p>
      <Stale problem={data && problem} />
      {!data && problem && <Failure problem={problem} retry={refresh} />}
      {!data && !problem && <p class="faint" aria-busy="true">{t().common.loading}</p>}
      {data?.agents.length === 0 && <Empty title={text.empty}>{text.emptyText}</Empty>}
      {data && data.agents.length > 0 && <List agents={data.agents} edit={setEdited} />}
      {edited && <Dialog title={edited.agent ? text.edit : text.add} onClose={() => setEdited(undefined)}><Edit agent={edited} done={done} /></Dialog>}
    </Page>
  );
}

function List({ agents, edit }: { agents: readonly Agent[]; edit: (a: Agent) => void }) {
  const text = t().agents;
  const names = (of: readonly string[]) => (of.length > 0 ? <Plain text={of.join(', ')} most={200} /> : <span class="faint">–</span>);
  const columns: Column<Agent>[] = [
    { id: 'agent', label: text.agent, main: true, cell: (a) => <Plain text={a.agent} most={80} /> },
    { id: 'groups', label: text.groups, cell: (a) => names(a.groups) },
    { id: 'tools', label: text.tools, cell: (a) => names(a.tools) },
    { id: 'deny', label: text.deny, cell: (a) => names(a.deny) },
  ];
  if (has('admin')) columns.push({ id: 'act', label: text.edit, cell: (a) => <Button label={text.editOf(a.agent)} onClick={() => edit(a)}>{text.edit}</Button> });
  return <Table caption={text.title} columns={columns} rows={agents} keyOf={(a) => a.agent} />;
}
