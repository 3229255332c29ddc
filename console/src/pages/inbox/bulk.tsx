// Several requests decided at once.

import { useState } from 'preact/hooks';
import { asProblem } from '../../api/problem';
import { Risk } from '../../components/badge';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { toast } from '../../components/toast';
import { t } from '../../text';
import { Act } from '../../consent/about';
import type { Consent } from '../../consent/host';
import { decide, may } from './decide';

interface Props {
  readonly chosen: readonly Consent[];
  readonly settle: (c: Consent) => void;
  readonly done: () => void;
}

export function Bulk({ chosen, settle, done }: Props) {
  const [asking, setAsking] = useState<'grant' | 'deny'>();
  const [busy, setBusy] = useState(false);
  const fit = chosen.filter((c) => asking === 'deny' || (may(c) === 'grant' && c.kind !== 'question'));
  const carryOut = async () => {
    if (!asking) return;
    setBusy(true);
    let failed = 0;
    // One after the other: each is a decision of its own, and the server bounds requests.
    for (const c of fit) {
      try {
        settle(await decide(c, { decision: asking, ...(asking === 'grant' ? { remember: 'once' } : {}) }));
      } catch (err) {
        failed++;
        if (failed === 1) toast(t().problems(asProblem(err)), 'bad');
      }
    }
    if (failed < fit.length) toast(t().inbox.decidedMany(fit.length - failed));
    setBusy(false);
    setAsking(undefined);
    done();
  };
  return (
    <div class="inbox-bulk" role="region" aria-label={t().inbox.chosen(chosen.length)}>
      <span>{t().inbox.chosen(chosen.length)}</span>
      <Button onClick={() => setAsking('grant')}>{t().inbox.grant.once}</Button>
      <Button kind="bad" onClick={() => setAsking('deny')}>{t().inbox.deny}</Button>
      <Button kind="quiet" onClick={done}>{t().common.cancel}</Button>
      {asking && (
        <Dialog title={asking === 'grant' ? t().inbox.grantMany(fit.length) : t().inbox.denyMany(fit.length)} onClose={() => setAsking(undefined)}>
          <ul class="inbox-many">{fit.map((c) => <li key={c.consent_id}><Risk of={c.risk} /> <Act of={c} /></li>)}</ul>
          {fit.length < chosen.length && <p class="faint">{t().inbox.leftOut(chosen.length - fit.length)}</p>}
          <div class="buttons"><Button kind={asking === 'grant' ? 'primary' : 'bad'} busy={busy} disabled={fit.length === 0} onClick={carryOut}>{asking === 'grant' ? t().inbox.grant.once : t().inbox.deny}</Button>
            <Button onClick={() => setAsking(undefined)}>{t().common.cancel}</Button></div>
        </Dialog>
      )}
    </div>
  );
}
