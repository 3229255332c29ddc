// One request: what will happen, and the answers.

import { Plain } from '../components/plain';
import { t } from '../text';
import { About, Act, Asked } from './about';
import { Answers } from './answers';
import { Changes } from './changed';
import type { Consent, Host } from './host';
import { Settled } from './settled';
import { Arguments } from './shown';

interface Props {
  readonly of: Consent;
  readonly host: Host;
  readonly alone?: boolean;
  readonly settle: (c: Consent) => void;
}

export function Request({ of: c, host, alone = false, settle }: Props) {
  if (c.status !== 'pending') return <><Asked of={c} host={host} /><Settled of={c} host={host} />{alone && <><Warnings of={c} /><Changes of={c} host={host} />{c.kind !== 'question' && <Arguments of={c} host={host} />}<About of={c} host={host} /></>}</>;
  const conflict = async () => {
    const outcome = await host.read(c).catch(() => undefined);
    if (outcome && outcome.status !== 'pending') settle(outcome);
  };
  return (
    <>
      <Asked of={c} host={host} />
      <Warnings of={c} />
      <Changes of={c} host={host} />
      {c.kind !== 'question' && <Arguments of={c} host={host} />}
      {c.adopts && <p class="inbox-warning">{t().inbox.adopts}</p>}
      <Answers of={c} host={host} alone={alone} decided={settle} conflict={conflict} />
      {alone ? <About of={c} host={host} /> : <details><summary>{t().inbox.details}</summary><About of={c} host={host} /></details>}
    </>
  );
}

function Warnings({ of: c }: { of: Consent }) {
  if (!c.warnings?.length) return null;
  return <ul class="inbox-warning" aria-label={t().inbox.warnings}>{c.warnings.map((w, i) => <li key={i}><Plain text={w} most={400} /></li>)}</ul>;
}

export { Act };
