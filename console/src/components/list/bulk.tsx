// One thing done to several rows, each by a request of its own, after the person has seen which.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { asProblem, type Problem } from '../../api/problem';
import { t } from '../../text';
import { Button } from '../button';
import { Dialog } from '../dialog';
import { Plain } from '../plain';
import { toast } from '../toast';
import type { Act } from './definition';

interface Props<R> {
  readonly chosen: readonly R[];
  readonly acts: readonly Act<R>[];
  readonly idOf: (row: R) => string;
  readonly what: (row: R) => ComponentChildren;
  // Selects these rows and no others.
  readonly select: (rows: readonly R[]) => void;
}

interface Failed<R> {
  readonly row: R;
  readonly problem: Problem;
}

// Outcome is how an act went that failed for some rows.
interface Outcome<R> {
  readonly act: Act<R>;
  readonly of: number;
  readonly failed: readonly Failed<R>[];
}

export function Bulk<R>({ chosen, acts, idOf, what, select }: Props<R>) {
  const [asking, setAsking] = useState<Act<R>>();
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome<R>>();
  // The rows that the dialog lists: what happens meanwhile changes none of them.
  const [listed, setListed] = useState<readonly R[]>([]);
  const ask = (act: Act<R>, rows: readonly R[]) => { setOutcome(undefined); setListed(rows.filter(act.fits)); setAsking(act); };
  const carryOut = async () => {
    if (!asking) return;
    setBusy(true);
    const failed: Failed<R>[] = [];
    // One after the other: the server bounds requests.
    for (const row of listed) {
      try {
        await asking.run(row);
      } catch (err) {
        failed.push({ row, problem: asProblem(err) });
      }
    }
    if (failed.length < listed.length) toast(asking.done(listed.length - failed.length));
    setBusy(false);
    setAsking(undefined);
    if (failed.length > 0) setOutcome({ act: asking, of: listed.length, failed });
    select(failed.map((f) => f.row));
  };
  return (
    <>
      {chosen.length > 0 && (
        <div class="bulk" role="region" aria-label={t().list.selected(chosen.length)}>
          <span>{t().list.selected(chosen.length)}</span>
          {acts.map((a) => <Button key={a.name} kind={a.kind} onClick={() => ask(a, chosen)}>{a.label}</Button>)}
          <Button kind="quiet" onClick={() => select([])}>{t().common.cancel}</Button>
        </div>
      )}
      {asking && (
        <Dialog key="ask" title={asking.title(listed.length)} onClose={() => setAsking(undefined)}>
          <ul class="bulk-many" tabIndex={0} aria-label={asking.title(listed.length)}>{listed.map((row) => <li key={idOf(row)}>{what(row)}</li>)}</ul>
          {listed.length < chosen.length && <p class="faint">{t().list.leftOut(chosen.length - listed.length)}</p>}
          <div class="buttons"><Button kind={asking.kind === 'bad' ? 'bad' : 'primary'} busy={busy} disabled={listed.length === 0} onClick={carryOut}>{asking.label}</Button>
            <Button onClick={() => setAsking(undefined)}>{t().common.cancel}</Button></div>
        </Dialog>
      )}
      {outcome && <Why of={outcome} idOf={idOf} what={what} again={chosen.some(outcome.act.fits) ? () => ask(outcome.act, chosen) : undefined} close={() => setOutcome(undefined)} />}
    </>
  );
}

// Why shows which rows an act failed for, and the reason of each. They stay selected.
function Why<R>({ of: { act, of, failed }, idOf, what, again, close }: { of: Outcome<R>; idOf: (row: R) => string; what: (row: R) => ComponentChildren; again: (() => void) | undefined; close: () => void }) {
  const title = t().list.failedOf(failed.length, of);
  return (
    <Dialog key="why" title={`${act.label}: ${title}`} onClose={close}>
      <ul class="bulk-many" tabIndex={0} aria-label={title}>
        {failed.map(({ row, problem }) => <li key={idOf(row)}>{what(row)}<p class="bad"><Plain text={t().problems(problem)} most={300} /></p></li>)}
      </ul>
      <div class="buttons">{again && <Button kind="primary" onClick={again}>{t().common.retry}</Button>}<Button onClick={close}>{t().common.close}</Button></div>
    </Dialog>
  );
}
