// The page of one call: what it was, how it went, what came of it.

import { useState } from 'preact/hooks';
import { api } from '../../api/client';
import { asProblem } from '../../api/problem';
import { Status } from '../../components/badge';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { Facts } from '../../components/facts';
import { Failure, Stale } from '../../components/failure';
import { Linked, placeOf } from '../../components/linked';
import { Page } from '../../components/page';
import { Plain, Short } from '../../components/plain';
import { Duration, Time } from '../../components/time';
import { toast } from '../../components/toast';
import { has } from '../../app/session';
import { t } from '../../text';
import { Again } from './again';
import { Arguments } from './arguments';
import { ofRecords } from './final';
import { Events, Life } from './life';
import type { Summary } from './list';
import { Records, useRecords } from './records';
import { Outcome } from './outcome';
import { useCall, useSummary } from './use';

// OneCall shows the call with an id. A list that has its row saves looking for that.
export default function OneCall({ id, row }: { id: string; row?: Summary | undefined }) {
  const { live, events, stream, done } = useCall(id);
  const records = useRecords(id, done || live.problem?.status === 404);
  const call = live.data ?? ofRecords(records.data);
  const first = records.data?.[0];
  const trace = call?.trace_id ?? first?.trace_id ?? '';
  const tool = call?.tool ?? first?.tool;
  const summary = useSummary(id, trace, done, row);
  if (!tool) {
    return <Page title={t().calls.call}>{live.problem && !(has('auditor', 'admin') && !records.data && !records.problem) ? <Failure problem={live.problem} retry={live.refresh} /> : <p class="faint" aria-busy="true">{t().common.loading}</p>}</Page>;
  }
  const state = call && (call.state === 'done' ? call.status : call.state ?? call.status);
  const [user, agent] = [call?.owner?.user ?? first?.user, call?.owner?.agent ?? first?.agent];
  const conversation = summary?.conversation ?? first?.conversation;
  const consent = call?.consent_id ?? records.data?.find((r) => r.consent_id)?.consent_id;
  // Of a durable tool this is known while it waits only.
  const isProgram = tool === 'run_program' || call?.state === 'waiting';
  return (
    <Page title={`${tool} · ${t().calls.call}`} heading={<><Plain text={tool} /> {state && <Status of={state} />}</>} aside={
      <div class="buttons">
        {call && call.state !== 'done' && has('user', 'agent', 'approver', 'admin') && <Cancel id={id} cancelled={live.refresh} />}
        {has('user', 'agent', 'approver', 'admin') && <Again id={id} tool={tool} hash={call?.args_hash ?? first?.args_hash} given={call?.arguments} consent={consent} of={{ user, agent, conversation }} />}
      </div>}>
      <Stale problem={live.data && live.problem} />
      <div class="stack">
        {call?.kept?.by === 'record' && <p class="faint">{t().calls.resultGone}</p>}
        {call?.kept?.until && <p class="faint">{t().calls.keptUntil} <Time at={call.kept.until} /></p>}
        {call?.state === 'awaiting_consent' && call.consent_id && <p class="calls-waits"><a href={`/consents/${encodeURIComponent(call.consent_id)}`}>{t().calls.decide}</a></p>}
        {isProgram && <p><a href={`/programs/${encodeURIComponent(id)}`}>{t().calls.program}</a></p>}
        <Facts of={[
          [t().calls.took, call?.state === 'done' && <Duration ms={call.duration_ms} />],
          [t().calls.tool, <Linked key="tool" name="tool" value={tool} />],
          [t().calls.version, summary?.tool_version && <Version tool={tool} version={summary.tool_version} />],
          [t().calls.user, user && <Linked name="user" value={user} />],
          [t().calls.agent, agent && <Linked name="agent" value={agent} />],
          [t().calls.conversation, conversation && <Linked name="conversation" value={conversation} />],
          [t().calls.pool, summary?.pool && <Linked name="pool" value={summary.pool} />],
          [t().calls.worker, call?.worker && <><Linked name="worker" value={call.worker} />{call.attempt && call.attempt > 1 ? ` (${t().calls.attempt(call.attempt)})` : ''}</>],
          [t().programs.parent, call?.parent && <code><Linked name="program" value={call.parent} most={140} /></code>],
          [t().calls.id, <code key="i"><Linked name="call" value={id} most={140} /></code>],
          [t().calls.trace, trace && <code><Linked name="trace" value={trace} /></code>],
        ]} />
        <Life events={events} records={records.data ?? []} steps={call?.steps} />
        <Arguments state={call?.kept?.by === 'record' ? undefined : call?.state} tool={tool} given={call?.arguments} consent={consent} user={user} hash={call?.args_hash ?? first?.args_hash} />
        {call && <Outcome of={call} />}
        <Events of={events} connected={stream.connected} refused={stream.refused} done={done} />
        {has('auditor', 'admin') && <Records of={records} />}
      </div>
    </Page>
  );
}

// Version leads to the calls of this version of the tool.
function Version({ tool, version }: { tool: string; version: string }) {
  const href = placeOf('tool', tool);
  const text = <Short text={version} most={64} />;
  return href ? <a href={`${href}&version=${encodeURIComponent(version)}`}>{text}</a> : text;
}

function Cancel({ id, cancelled }: { id: string; cancelled: () => void }) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const carryOut = async () => {
    setBusy(true);
    try {
      await api.post('/v1/calls/{call_id}/cancel', { path: { call_id: id }, body: undefined });
      toast(t().calls.cancelled);
    } catch (err) {
      toast(t().problems(asProblem(err)), 'bad');
    }
    setBusy(false);
    setAsking(false);
    cancelled();
  };
  return (
    <>
      <Button kind="bad" onClick={() => setAsking(true)}>{t().calls.cancel}</Button>
      {asking && (
        <Dialog title={t().calls.cancelTitle} onClose={() => setAsking(false)}>
          <p>{t().calls.cancelText}</p>
          <div class="buttons"><Button kind="bad" busy={busy} onClick={carryOut}>{t().calls.cancel}</Button><Button onClick={() => setAsking(false)}>{t().calls.keep}</Button></div>
        </Dialog>
      )}
    </>
  );
}
