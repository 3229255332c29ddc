// What became of a request.

import { useState } from 'preact/hooks';
import { asProblem } from '../api/problem';
import { Status } from '../components/badge';
import { Button } from '../components/button';
import { Plain } from '../components/plain';
import { Time } from '../components/time';
import { toast } from '../components/toast';
import { t } from '../text';
import { remembers, type Consent, type Host } from './host';

export function Settled({ of: c, host }: { of: Consent; host: Host }) {
  const [undone, setUndone] = useState(false);
  const [busy, setBusy] = useState(false);
  const d = c.decision;
  const mine = d?.by !== undefined && host.own(d.by, c);
  const call = host.callPage?.(c);
  const undo = async () => {
    setBusy(true);
    try {
      toast((await host.takeBack(c)) ? t().inbox.undone : t().inbox.nothingToUndo);
      setUndone(true);
    } catch (err) {
      toast(t().problems(asProblem(err)), 'bad');
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="inbox-settled">
      <p>
        <Status of={c.status} /> {c.status === 'expired' ? t().inbox.expired : d && <>{mine ? t().inbox.byYou : <>{t().inbox.by} <Plain text={d.by} most={64} /></>} <Time at={d.at} /></>}
      </p>
      {d?.comment && <p><Plain text={d.comment} most={300} /></p>}
      {remembers(c) && !undone && (
        <p class="buttons"><span>{d?.never_ask ? t().inbox.rememberedNever : d?.remember === 'program' ? t().inbox.rememberedProgram : d?.remember === 'session' ? t().inbox.rememberedSession : t().inbox.rememberedAlways}</span>
          {(host.mayTakeBack?.(c) ?? true) && <Button busy={busy} onClick={undo}>{t().inbox.undo}</Button>}</p>
      )}
      {call && <p><a href={call}>{t().inbox.toCall}</a></p>}
    </div>
  );
}
