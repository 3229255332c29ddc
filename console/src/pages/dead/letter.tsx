// One dead letter, and what may be done with it.

import { useState } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { asProblem, type Problem } from '../../api/problem';
import { Button } from '../../components/button';
import { Facts } from '../../components/facts';
import { Failure } from '../../components/failure';
import { Linked } from '../../components/linked';
import { Loaded } from '../../components/loaded';
import { Plain } from '../../components/plain';
import { Time } from '../../components/time';
import { toast } from '../../components/toast';
import { has } from '../../app/session';
import { t } from '../../text';

type DeadLetter = Schemas['DeadLetter'];

export function Letter({ seq, done }: { seq: string; done: () => void }) {
  const live = useLive<DeadLetter>(`dead ${seq}`, (signal) => api.get('/v1/dead/{seq}', { path: { seq }, signal }));
  return (
    <Loaded of={live}>{(d) => (
      <div class="stack">
        <Facts of={[
          [t().dead.tool, d.tool && <Linked name="tool" value={d.tool} />],
          [t().dead.call, d.call_id && <Linked name="call" value={d.call_id} />],
          [t().dead.trace, d.trace_id && <Linked name="trace" value={d.trace_id} />],
          [t().dead.person, d.user && <Linked name="user" value={d.user} />],
          [t().dead.agent, d.agent && <Linked name="agent" value={d.agent} />],
          [t().dead.pool, <Linked key="pool" name="pool" value={d.pool} />],
          [t().dead.bytes, <span key="bytes" class="number">{t().list.number(d.bytes)}</span>],
          [t().dead.at, <Time key="at" at={d.at} />],
          [t().dead.subject, d.subject && <code><Plain text={d.subject} most={120} /></code>],
        ]} />
        <p><strong>{t().dead.reason}:</strong> <Plain text={d.reason} most={400} /></p>
        {d.has_result && <p>{t().dead.hasResult}</p>}
        {has('admin') && <Acts of={d} done={done} />}
      </div>
    )}</Loaded>
  );
}

function Acts({ of: d, done }: { of: DeadLetter; done: () => void }) {
  const [sure, setSure] = useState(false);
  const [dropping, setDropping] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const act = async (run: () => Promise<unknown>, said: string) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await run();
      toast(said);
      done();
    } catch (err) {
      setProblem(asProblem(err));
      setBusy(false);
    }
  };
  const requeue = () => act(() => api.post('/v1/dead/{seq}/requeue', { path: { seq: String(d.seq) }, body: sure ? { force: true } : {} }), t().dead.requeued);
  const drop = () => act(() => api.delete('/v1/dead/{seq}', { path: { seq: String(d.seq) } }), t().dead.dropped);
  return (
    <>
      {d.risk && !d.has_result && (
        <>
          <p class="bad"><Plain text={d.risk} most={400} /></p>
          <label class="check"><input type="checkbox" name="force" checked={sure} onChange={(e) => setSure(e.currentTarget.checked)} />{t().dead.sure}</label>
        </>
      )}
      {problem && <Failure problem={problem} />}
      {dropping && <p role="alert">{t().dead.dropText}</p>}
      <div class="buttons">
        {!d.has_result && !dropping && <Button kind="primary" busy={busy} disabled={!!d.risk && !sure} onClick={requeue}>{t().dead.requeue}</Button>}
        {dropping
          ? <><Button kind="bad" busy={busy} onClick={drop}>{t().dead.dropSure}</Button><Button onClick={() => setDropping(false)}>{t().common.cancel}</Button></>
          : <Button kind="bad" onClick={() => setDropping(true)}>{t().dead.drop}</Button>}
      </div>
    </>
  );
}
