// One request: what will happen, and the answers.

import { Plain } from '../../components/plain';
import { t } from '../../text';
import { api } from '../../api/client';
import { About, Act, Asked } from './about';
import { Answers } from './answers';
import type { Consent } from './decide';
import { Settled } from './settled';
import { Arguments } from './shown';

interface Props {
  readonly of: Consent;
  readonly alone?: boolean;
  readonly settle: (c: Consent) => void;
}

export function Request({ of: c, alone = false, settle }: Props) {
  if (c.status !== 'pending') return <><Asked of={c} /><Settled of={c} />{alone && <><Warnings of={c} />{c.kind !== 'question' && <Arguments of={c} />}<About of={c} /></>}</>;
  const conflict = async () => {
    const outcome = await api.get('/v1/consents/{consent_id}', { path: { consent_id: c.consent_id }, query: { user: c.user } }).catch(() => undefined);
    if (outcome && outcome.status !== 'pending') settle(outcome);
  };
  return (
    <>
      <Asked of={c} />
      <Warnings of={c} />
      {c.kind !== 'question' && <Arguments of={c} />}
      {c.adopts && <p class="inbox-warning">{t().inbox.adopts}</p>}
      <Answers of={c} alone={alone} decided={settle} conflict={conflict} />
      {alone ? <About of={c} /> : <details><summary>{t().inbox.details}</summary><About of={c} /></details>}
    </>
  );
}

function Warnings({ of: c }: { of: Consent }) {
  if (!c.warnings?.length) return null;
  return <ul class="inbox-warning" aria-label={t().inbox.warnings}>{c.warnings.map((w, i) => <li key={i}><Plain text={w} most={400} /></li>)}</ul>;
}

export { Act };
