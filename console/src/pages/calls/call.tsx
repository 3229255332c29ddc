// The page of one call: what it was, how it went, what came of it.

import { useState } from 'preact/hooks';
import { api } from '../../api/client';
import { asProblem } from '../../api/problem';
import { Status } from '../../components/badge';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { Facts } from '../../components/facts';
import { Failure, Stale } from '../../components/failure';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { Duration, Time } from '../../components/time';
import { toast } from '../../components/toast';
import type { PageProps } from '../../app/area';
import { has } from '../../app/session';
import { t } from '../../text';
import { Again } from './again';
import { Arguments } from './arguments';
import { ofRecords } from './final';
import { Events, Life } from './life';
import { Records, useRecords } from './records';
import { Outcome } from './outcome';
import { useCall } from './use';

export default function OneCall({ params }: PageProps) {
  const id = params['id'] ?? '';
  const { live, events, stream, done } = useCall(id);
  const records = useRecords(id, done || live.problem?.status === 404);
  const call = live.data ?? ofRecords(records.data);
  const first = records.data?.[0];
  const trace = call?.trace_id ?? first?.trace_id ?? '';
  const tool = call?.tool ?? first?.tool;
  if (!tool) {
    return <Page title={t().calls.call}>{live.problem && !(has('auditor', 'admin') && !records.data && !records.problem) ? <Failure problem={live.problem} retry={live.refresh} /> : <p class="faint" aria-busy="true">{t().common.loading}</p>}</Page>;
  }
  const state = call && (call.state === 'done' ? call.status : call.state ?? call.status);
  const consent = call?.consent_id ?? records.data?.find((r) => r.consent_id)?.consent_id;
  return (
    <Page title={`${tool} · ${t().calls.call}`} heading={<><Plain text={tool} /> {state && <Status of={state} />}</>} aside={
      <div class="buttons">
        {call && call.state !== 'done' && has('user', 'agent', 'approver', 'admin') && <Cancel id={id} cancelled={live.refresh} />}
        {has('user', 'agent', 'approver', 'admin') && <Again id={id} tool={tool} hash={call?.args_hash ?? first?.args_hash} given={call?.arguments} consent={consent} of={{ user: call?.owner?.user ?? first?.user, agent: call?.owner?.agent ?? first?.agent, conversation: first?.conversation }} />}
      </div>}>
      <Stale problem={live.data && live.problem} />
      <div class="stack">
        {call?.kept?.by === 'record' && <p class="faint">{t().calls.resultGone}</p>}
        {call?.kept?.until && <p class="faint">{t().calls.keptUntil} <Time at={call.kept.until} /></p>}
        {call?.state === 'awaiting_consent' && call.consent_id && <p class="calls-waits"><a href={`/consents/${encodeURIComponent(call.consent_id)}`}>{t().calls.decide}</a></p>}
        <Facts of={[
          [t().calls.took, call?.state === 'done' && <Duration ms={call.duration_ms} />],
          [t().calls.user, (call?.owner?.user ?? first?.user) && <Plain text={call?.owner?.user ?? first?.user ?? ''} />],
          [t().calls.agent, (call?.owner?.agent ?? first?.agent) && <Plain text={call?.owner?.agent ?? first?.agent ?? ''} />],
          [t().calls.conversation, first?.conversation && <Plain text={first.conversation} />],
          [t().calls.worker, call?.worker && <><Plain text={call.worker} />{call.attempt && call.attempt > 1 ? ` (${t().calls.attempt(call.attempt)})` : ''}</>],
          [t().calls.id, <code key="i"><Plain text={id} /></code>],
          [t().calls.trace, trace && (has('user', 'auditor', 'admin') ? <a href={`/traces/${encodeURIComponent(trace)}`}><code><Plain text={trace} /></code></a> : <code><Plain text={trace} /></code>)],
        ]} />
        <Life events={events} records={records.data ?? []} steps={call?.steps} />
        <Arguments state={call?.kept?.by === 'record' ? undefined : call?.state} tool={tool} given={call?.arguments} consent={consent} user={call?.owner?.user ?? first?.user} hash={call?.args_hash ?? first?.args_hash} />
        {call && <Outcome of={call} />}
        <Events of={events} connected={stream.connected} refused={stream.refused} done={done} />
        {has('auditor', 'admin') && <Records of={records} />}
      </div>
    </Page>
  );
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
