// The page of one request, to which a link leads.

import { api } from '../../api/client';
import { useLive } from '../../api/live';
import { Status } from '../../components/badge';
import { Failure, Stale } from '../../components/failure';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import type { PageProps } from '../../app/area';
import { t } from '../../text';
import { useCall } from '../calls/use';
import type { Consent } from '../../consent/host';
import { Act, Request } from '../../consent/request';
import { host } from './decide';

// The request has no stream of its own. Looking each second costs the server one read, and
// only while it is undecided.
const pace = 1000;

export default function OneConsent({ params }: PageProps) {
  const id = params['id'] ?? '';
  const live = useLive<Consent>(`consent ${id}`, (signal) => api.get('/v1/consents/{consent_id}', { path: { consent_id: id }, signal }), pace);
  const c = live.data;
  if (!c) return <Page title={t().inbox.request}>{live.problem ? <Failure problem={live.problem} retry={live.refresh} /> : <p class="faint" aria-busy="true">{t().common.loading}</p>}</Page>;
  return (
    <Page title={`${c.tool} · ${t().inbox.request}`} heading={<Act of={c} />} aside={c.status !== 'pending' && <Status of={c.status} />}>
      <Stale problem={live.problem} />
      <div class="stack" role="group" aria-label={t().inbox.request}><Request of={c} host={host} alone settle={(x) => live.set(() => x)} /></div>
      {c.status === 'granted' && <Outcome of={c} />}
      <p class="inbox-back"><a href="/">{t().common.toInbox}</a></p>
    </Page>
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
