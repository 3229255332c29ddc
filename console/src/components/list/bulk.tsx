// One thing done to several rows, each by a request of its own, after the person has seen which.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { asProblem } from '../../api/problem';
import { t } from '../../text';
import { Button } from '../button';
import { Dialog } from '../dialog';
import { toast } from '../toast';
import type { Act } from './definition';

interface Props<R> {
  readonly chosen: readonly R[];
  readonly acts: readonly Act<R>[];
  readonly idOf: (row: R) => string;
  readonly what: (row: R) => ComponentChildren;
  readonly done: () => void;
}

export function Bulk<R>({ chosen, acts, idOf, what, done }: Props<R>) {
  const [asking, setAsking] = useState<Act<R>>();
  const [busy, setBusy] = useState(false);
  // The rows that the dialog lists: what happens meanwhile changes none of them.
  const [listed, setListed] = useState<readonly R[]>([]);
  const ask = (act: Act<R>) => { setListed(chosen.filter(act.fits)); setAsking(act); };
  const carryOut = async () => {
    if (!asking) return;
    setBusy(true);
    let failed = 0;
    // One after the other: the server bounds requests.
    for (const row of listed) {
      try {
        await asking.run(row);
      } catch (err) {
        failed++;
        if (failed === 1) toast(t().problems(asProblem(err)), 'bad');
      }
    }
    if (failed < listed.length) toast(asking.done(listed.length - failed));
    if (failed > 1) toast(t().list.failedOf(failed, listed.length), 'bad');
    setBusy(false);
    setAsking(undefined);
    done();
  };
  return (
    <div class="bulk" role="region" aria-label={t().list.selected(chosen.length)}>
      <span>{t().list.selected(chosen.length)}</span>
      {acts.map((a) => <Button key={a.name} kind={a.kind} onClick={() => ask(a)}>{a.label}</Button>)}
      <Button kind="quiet" onClick={done}>{t().common.cancel}</Button>
      {asking && (
        <Dialog title={asking.title(listed.length)} onClose={() => setAsking(undefined)}>
          <ul class="bulk-many" tabIndex={0} aria-label={asking.title(listed.length)}>{listed.map((row) => <li key={idOf(row)}>{what(row)}</li>)}</ul>
          {listed.length < chosen.length && <p class="faint">{t().list.leftOut(chosen.length - listed.length)}</p>}
          <div class="buttons"><Button kind={asking.kind === 'bad' ? 'bad' : 'primary'} busy={busy} disabled={listed.length === 0} onClick={carryOut}>{asking.label}</Button>
            <Button onClick={() => setAsking(undefined)}>{t().common.cancel}</Button></div>
        </Dialog>
      )}
    </div>
  );
}
