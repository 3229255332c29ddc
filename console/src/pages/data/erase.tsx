// Deleting all data of a person, who must be named to confirm it.

import { useState } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';
import { asProblem, type Problem } from '../../api/problem';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { Failure } from '../../components/failure';
import { Plain } from '../../components/plain';
import { toast } from '../../components/toast';
import { t } from '../../text';

export function Erase({ user, after }: { user: string; after: () => void }) {
  const [open, setOpen] = useState(false);
  const [done, setDone] = useState<Schemas['DataDeleted']>();
  const text = t().data;
  return (
    <>
      {done && (
        <div role="status">
          <p>{text.gone(done.items, done.results)}</p>
          {done.left.length > 0 && <><p>{text.left}</p><ul>{done.left.map((x) => <li key={x}><Plain text={x} most={300} /></li>)}</ul></>}
        </div>
      )}
      <p><Button kind="bad" onClick={() => setOpen(true)}>{text.erase}</Button></p>
      {open && <Dialog title={text.eraseTitle} onClose={() => setOpen(false)}><Confirm user={user} done={(d) => { setOpen(false); setDone(d); toast(text.erased); after(); }} /></Dialog>}
    </>
  );
}

function Confirm({ user, done }: { user: string; done: (d: Schemas['DataDeleted']) => void }) {
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const text = t().data;
  const erase = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      done(await api.delete('/v1/data', { query: { user } }));
    } catch (err) {
      setProblem(asProblem(err));
      setBusy(false);
    }
  };
  return (
    <form class="stack" onSubmit={(e) => { e.preventDefault(); if (!busy && typed === user) void erase(); }}>
      <p><strong><Plain text={user} most={80} /></strong></p>
      <p>{text.eraseText}</p>
      <label class="field">{text.sure(user)}<input name="sure" autocomplete="off" spellcheck={false} maxLength={64} value={typed} onInput={(e) => setTyped(e.currentTarget.value)} /></label>
      {problem && <Failure problem={problem} />}
      <div class="buttons"><Button type="submit" kind="bad" busy={busy} disabled={typed !== user}>{text.erase}</Button></div>
    </form>
  );
}
