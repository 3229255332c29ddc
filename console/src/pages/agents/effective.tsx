// What one agent has now: the tools that a model would be offered, and its latest calls.

import { useEffect, useState } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { has } from '../../app/session';
import { Risk } from '../../components/badge';
import { Button } from '../../components/button';
import { Glyph, ofCall } from '../../components/list/outcome';
import { Loaded } from '../../components/loaded';
import { Plain, Short } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { t } from '../../text';
import { hrefOf } from '../tools/href';
import { inTurn } from './known';

type Tool = Schemas['Tool'];
type Outcome = Schemas['PolicyExplanation']['outcome'] | 'unknown';

// So many tools are shown, and again so many with each press of a button: a worker is asked about
// each of them.
const page = 40;
const concurrent = 4;
const calls = 10;

export function Effective({ agent, user }: { agent: string; user: string }) {
  const text = t().agents;
  return (
    <>
      {has('user', 'approver', 'admin') && <Tools agent={agent} user={user} />}
      <section class="stack" aria-labelledby="latest">
        <h2 id="latest">{text.latest}</h2>
        <Latest agent={agent} user={user} />
      </section>
    </>
  );
}

function Tools({ agent, user }: { agent: string; user: string }) {
  const text = t().agents;
  const live = useLive(`effective ${agent} ${user}`, (signal) => api.get('/v1/tools', { query: { agent, user }, signal }) as Promise<Schemas['ToolList']>);
  return (
    <section class="stack" aria-labelledby="effective">
      <h2 id="effective">{text.effective}</h2>
      <Loaded of={live}>{({ tools }) => <Offered tools={tools.filter((x) => x.enabled)} off={tools.filter((x) => !x.enabled).length} agent={agent} user={user} />}</Loaded>
    </section>
  );
}

function Offered({ tools, off, agent, user }: { tools: readonly Tool[]; off: number; agent: string; user: string }) {
  const text = t().agents;
  const [most, setMost] = useState(page);
  const shown = tools.slice(0, most);
  const outcomes = useOutcomes(shown, agent, user);
  const columns: readonly Column<Tool>[] = [
    { id: 'tool', label: t().tools.title, main: true, cell: (x) => <a href={hrefOf(x.name)}><Plain text={x.name} most={64} /></a> },
    { id: 'risk', label: t().tools.risk, cell: (x) => <Risk of={x.risk} /> },
    { id: 'asks', label: t().tools.consent, cell: (x) => {
      const outcome = outcomes.get(x.name);
      return outcome ? t().tools.decided[outcome] ?? t().tools.undecided : <span class="faint" aria-busy="true">{t().common.loading}</span>;
    } },
  ];
  return (
    <>
      <p class="faint" role="status">{text.offered(tools.length, off)}</p>
      {tools.length > 0 && <Table caption={text.effective} columns={columns} rows={shown} keyOf={(x) => x.name} />}
      {shown.length < tools.length && <p><Button onClick={() => setMost(most + page)}>{t().common.more}</Button></p>}
    </>
  );
}

// useOutcomes asks what the policy decides about each tool, once.
function useOutcomes(tools: readonly Tool[], agent: string, user: string): ReadonlyMap<string, Outcome> {
  const [known, setKnown] = useState<ReadonlyMap<string, Outcome>>(new Map());
  useEffect(() => {
    const over = new AbortController();
    const left = tools.filter((x) => !known.has(x.name));
    void inTurn(left, concurrent, over.signal, async ({ name }) => {
      const outcome: Outcome = await api.post('/v1/policy/explain', { body: { tool: name, agent, ...(user ? { user } : {}) }, signal: over.signal }).then((x) => x.outcome, () => 'unknown');
      if (!over.signal.aborted) setKnown((k) => new Map(k).set(name, outcome));
    });
    return () => over.abort();
  }, [tools.length]);
  return known;
}

function Latest({ agent, user }: { agent: string; user: string }) {
  const text = t().agents;
  const live = useLive(`latest ${agent} ${user}`, (signal) => api.get('/v1/calls', { query: { agent, user, limit: calls }, signal }));
  return (
    <Loaded of={live}>{(found) => (found.calls.length === 0 ? <p class="faint">{text.noCalls}</p> : (
      <>
        <ul class="agents-calls">
          {found.calls.map((c) => <li key={c.call_id}><a href={`/calls/${encodeURIComponent(c.call_id)}`}><Glyph of={ofCall(c)} /><Short text={c.tool} most={64} /></a> <Time at={c.accepted_at} /></li>)}
        </ul>
        <p><a href={`/calls?${new URLSearchParams({ agent, ...(user ? { user } : {}) })}`}>{text.allCalls}</a></p>
      </>
    ))}</Loaded>
  );
}
