// Agents: those with rules of their own, and what a chosen one has now.

import { useEffect, useState } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { useQuery } from '../../app/router';
import { has, me } from '../../app/session';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { Empty, Failure, Stale } from '../../components/failure';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { t } from '../../text';
import { Edit } from './edit';
import { Effective } from './effective';
import { knownAgents } from './known';

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
      <One ruled={data?.agents ?? []} />
      {edited && <Dialog title={edited.agent ? text.edit : text.add} onClose={() => setEdited(undefined)}><Edit agent={edited} done={done} /></Dialog>}
    </Page>
  );
}

const name = '[A-Za-z0-9_\\-]{1,64}';
const named = new RegExp(`^${name}$`);

// So many of the newest calls name agents that have no rules.
const looked = 100;

// One chooses an agent, and whom it works for where the reader's credential names nobody.
function One({ ruled }: { ruled: readonly Agent[] }) {
  const [query, change] = useQuery();
  const seen = useLive('agents seen', (signal) => api.get('/v1/calls', { query: { limit: looked }, signal })).data?.calls ?? [];
  const [agent, user] = [query.get('agent') ?? '', query.get('user') ?? ''];
  const text = t().agents;
  const rules = JSON.stringify(ruled.find((r) => r.agent === agent));
  return (
    <section class="stack" aria-labelledby="agents-one">
      <h2 id="agents-one">{text.one}</h2>
      <div class="filters">
        <Name name="of-agent" label={text.agent} value={agent} change={(to) => change({ agent: to })} list="agents-known" />
        {!me.value.user && <Name name="of-user" label={text.person} value={user} change={(to) => change({ user: to })} />}
      </div>
      <datalist id="agents-known">{knownAgents(ruled, seen).map((a) => <option key={a} value={a} />)}</datalist>
      {named.test(agent) && (!user || named.test(user)) && <Effective key={`${agent} ${user} ${rules}`} agent={agent} user={user} />}
    </section>
  );
}

// Name is a field for the name of an agent or a person, which counts once it is entered.
function Name({ label, value, change, ...more }: { name: string; label: string; value: string; change: (to: string) => void; list?: string }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <label class="field">{label}
      <input {...more} value={text} pattern={name} maxLength={64} autocomplete="off" spellcheck={false}
        onInput={(e) => setText(e.currentTarget.value)} onChange={(e) => { if (e.currentTarget.reportValidity()) change(e.currentTarget.value); }} />
    </label>
  );
}

function List({ agents, edit }: { agents: readonly Agent[]; edit: (a: Agent) => void }) {
  const text = t().agents;
  const names = (of: readonly string[]) => (of.length > 0 ? <Plain text={of.join(', ')} most={200} /> : <span class="faint">–</span>);
  const columns: Column<Agent>[] = [
    { id: 'agent', label: text.agent, main: true, cell: (a) => <a href={`/agents?agent=${encodeURIComponent(a.agent)}`}><Plain text={a.agent} most={80} /></a> },
    { id: 'groups', label: text.groups, cell: (a) => names(a.groups) },
    { id: 'tools', label: text.tools, cell: (a) => names(a.tools) },
    { id: 'deny', label: text.deny, cell: (a) => names(a.deny) },
  ];
  if (has('admin')) columns.push({ id: 'act', label: text.edit, cell: (a) => <Button label={text.editOf(a.agent)} onClick={() => edit(a)}>{text.edit}</Button> });
  return <Table caption={text.title} columns={columns} rows={agents} keyOf={(a) => a.agent} />;
}
