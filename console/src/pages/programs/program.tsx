// The page of one program: its source with the line it waits in, its steps in their time, and
// what it waits for, has logged, and has returned.

import { api } from '../../api/client';
import { navigate } from '../../app/router';
import { has, me } from '../../app/session';
import { Act } from '../../components/act';
import { Status } from '../../components/badge';
import { Facts } from '../../components/facts';
import { Failure } from '../../components/failure';
import { Json } from '../../components/json';
import { Linked } from '../../components/linked';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { Duration, Time } from '../../components/time';
import { useNow } from '../../lib/now';
import { t } from '../../text';
import { Outcome } from '../calls/outcome';
import { lineOf } from './fold';
import { Log } from './log';
import { Source } from './source';
import { Steps } from './steps';
import { useProgram, useResult, type Program } from './use';
import { Waits } from './waits';

export function OneProgram({ id, changed }: { id: string; changed?: () => void }) {
  const live = useProgram(id);
  const p = live.data;
  const again = () => { live.refresh(); changed?.(); };
  const title = p?.tool ?? t().programs.program;
  return (
    <Page title={`${title} · ${t().programs.program}`} heading={<><Plain text={title} most={80} /> {p && <Status of={p.state === 'done' ? p.status ?? 'error' : p.state} />}</>} aside={p && <Acts of={p} changed={again} />}>
      <Loaded of={live}>{(of) => <Details of={of} />}</Loaded>
    </Page>
  );
}

// Acts are what this person may do to a program.
function Acts({ of: p, changed }: { of: Program; changed: () => void }) {
  const text = t().programs;
  const own = has('user', 'agent') && (me.value.user === '' || me.value.user === p.user);
  if (p.state === 'done') return own && p.status === 'error' && !p.parent && !p.retried_by ? <GoOn of={p} /> : null;
  if (!(own || has('approver', 'admin'))) return null;
  const cancel = () => api.post('/v1/calls/{call_id}/cancel', { path: { call_id: p.call_id }, body: undefined });
  return (
    <div class="buttons">
      <Act label={text.cancel} title={text.cancelTitle} kind="bad" done={text.cancelled} run={cancel} after={changed}><p>{text.cancelText}</p></Act>
    </div>
  );
}

// GoOn lets a failed program go on, and shows the program that does.
function GoOn({ of: p }: { of: Program }) {
  const text = t().programs;
  const retry = async () => {
    const { results: [call] } = await api.post('/v1/programs/{call_id}/retry', { path: { call_id: p.call_id }, body: undefined });
    if (call) navigate(`/programs/${encodeURIComponent(call.call_id)}`);
  };
  return (
    <div class="buttons">
      <Act label={text.retry} title={text.retryTitle} done={text.retried} run={retry}><p>{text.retryText}</p></Act>
    </div>
  );
}

function Details({ of: p }: { of: Program }) {
  const text = t().programs;
  const done = p.state === 'done';
  const result = useResult(p.call_id, done);
  return (
    <div class="stack">
      <Waits of={p} />
      {p.message && !result.data && <p class="calls-error"><strong><Plain text={p.error_type ?? ''} /></strong> <Plain text={p.message} most={2000} /></p>}
      {result.data && <Outcome of={result.data} />}
      {done && result.problem && !p.message && <Failure problem={result.problem} retry={result.refresh} />}
      <Facts of={[
        [text.started, <Time key="started" at={p.started_at} />],
        [t().calls.took, <Took key="took" of={p} />],
        [text.endsBy, !done && <Time at={p.deadline} />],
        [t().calls.tool, <Linked key="tool" name="tool" value={p.tool} />],
        [t().calls.user, p.user && <Linked name="user" value={p.user} />],
        [t().calls.agent, p.agent && <Linked name="agent" value={p.agent} />],
        [text.parent, p.parent && <code><Linked name="program" value={p.parent} most={140} /></code>],
        [text.continues, p.rerun_of && <code><Linked name="program" value={p.rerun_of} most={140} /></code>],
        [text.continuedBy, p.retried_by && <code><Linked name="program" value={p.retried_by} most={140} /></code>],
        [t().calls.id, <code key="id"><Linked name="call" value={p.call_id} most={140} /></code>],
        [t().calls.trace, <code key="trace"><Linked name="trace" value={p.trace_id} /></code>],
      ]} />
      <div class="programs-both">
        {p.code ? <Source code={p.code} waits={waitsIn(p)} failed={done && p.status === 'error' ? lineOf(p.message) : 0} /> : <p class="faint">{text.noSource}</p>}
        <Steps of={p} />
      </div>
      {p.input !== undefined && <section class="stack" aria-labelledby="input"><h2 id="input">{text.input}</h2><Json value={p.input} label={text.input} /></section>}
      <Log of={p} />
    </div>
  );
}

// Took is how long a program has taken. The rest of the page is not drawn again each second.
function Took({ of: p }: { of: Program }) {
  const now = useNow();
  return <Duration ms={Math.max(0, (p.ended_at ? Date.parse(p.ended_at) : now) - Date.parse(p.started_at))} />;
}

// waitsIn returns the lines of what has not ended.
function waitsIn(p: Program): ReadonlySet<number> {
  if (p.state === 'done') return new Set();
  const open = [...p.steps.filter((s) => s.state !== 'done'), ...(p.sleeps ?? []).filter((s) => !s.ended_at)];
  return new Set(open.map((s) => s.line).filter((n) => n > 0));
}
