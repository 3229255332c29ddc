// One request beside the inbox, or as the page to which a link leads.

import { useEffect, useId } from 'preact/hooks';
import { api } from '../../api/client';
import { useLive } from '../../api/live';
import { Status } from '../../components/badge';
import { Failure, Stale } from '../../components/failure';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { t } from '../../text';
import { useCall } from '../calls/use';
import type { Consent } from '../../consent/host';
import { Act, Request } from '../../consent/request';
import { settled } from '../../push/device';
import { host } from './decide';

// The request has no stream of its own. Looking each second costs the server one read, and
// only while it is undecided and not in the list.
const pace = 1000;

interface Props {
  readonly id: string;
  // The request as the list has it, which keeps it current.
  readonly known: Consent | undefined;
  readonly settle: (c: Consent) => void;
}

export function OneConsent({ id, known, settle }: Props) {
  const live = useLive<Consent>(`consent ${id}`, (signal) => (known ? Promise.resolve(known) : api.get('/v1/consents/{consent_id}', { path: { consent_id: id }, signal })), known ? 0 : pace);
  const c = known ?? live.data;
  useEffect(() => { if (c && c.status !== 'pending') void settled(id); }, [id, c?.status]);
  if (!c) return <Page title={t().inbox.request}>{live.problem ? <Failure problem={live.problem} retry={live.refresh} /> : <p class="faint" aria-busy="true">{t().common.loading}</p>}</Page>;
  return <><Stale problem={known ? undefined : live.problem} /><Shown of={c} settle={(x) => { live.set(() => x); settle(x); }} /></>;
}

function Shown({ of: c, settle }: { of: Consent; settle: (c: Consent) => void }) {
  return (
    <Page title={`${c.tool} · ${t().inbox.request}`} heading={<Act of={c} />} aside={c.status !== 'pending' && <Status of={c.status} />}>
      <div class="stack inbox-one" role="group" aria-label={t().inbox.request} data-consent={c.consent_id}><Request of={c} host={host} alone settle={settle} /></div>
      {c.status === 'granted' && <Outcome of={c} />}
    </Page>
  );
}

// Beside shows the current request of the inbox without an address of its own.
export function Beside({ of: c, settle }: { of: Consent; settle: (c: Consent) => void }) {
  const heading = useId();
  return (
    <article class="stack inbox-one" aria-labelledby={heading} data-consent={c.consent_id}>
      <h2 id={heading} tabIndex={-1}><Act of={c} /></h2>
      <Request of={c} host={host} alone settle={settle} />
    </article>
  );
}

// Outcome follows the call that was granted until it is done.
function Outcome({ of: c }: { of: Consent }) {
  const call = useCall(c.call.call_id, c.call.trace_id).live;
  return (
    <p role="status" class="inbox-outcome">
      {call.data && <>{t().inbox.callIs} <Status of={call.data.state === 'done' ? call.data.status : call.data.state ?? call.data.status} /> {call.data.message && <Plain text={call.data.message} most={400} />}</>}
    </p>
  );
}
