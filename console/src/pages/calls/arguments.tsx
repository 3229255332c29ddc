// The arguments of a call, as far as they are kept, in the form that a person is shown who
// is asked about it.

import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { Plain } from '../../components/plain';
import { t } from '../../text';
import { Arguments as Shown } from '../../consent/shown';
import { host } from '../inbox/decide';

interface Props {
  // That of the call; none if its result is gone.
  readonly state: string | undefined;
  readonly tool: string;
  readonly given: unknown;
  readonly consent: string | undefined;
  readonly user: string | undefined;
  readonly hash: string | undefined;
}

export function Arguments({ state, tool, given, consent, user, hash }: Props) {
  const missing = state === 'done' ? t().calls.noArguments.done : state ? t().calls.noArguments.open : t().calls.noArguments.gone;
  return (
    <section class="stack" aria-labelledby="arguments">
      <h2 id="arguments">{t().calls.arguments}</h2>
      {given !== undefined ? <Shown of={{ tool, arguments: given, user: user ?? '' }} host={host} /> : consent ? <OfConsent id={consent} user={user} missing={missing} /> : <p class="faint">{missing}</p>}
      {hash && <p class="small faint">{t().calls.hash} <code><Plain text={hash} most={40} /></code></p>}
    </section>
  );
}

function OfConsent({ id, user, missing }: { id: string; user: string | undefined; missing: string }) {
  const live = useLive<Schemas['Consent']>(`arguments ${id}`, (signal) => api.get('/v1/consents/{consent_id}', { path: { consent_id: id }, query: user ? { user } : {}, signal }));
  if (live.data) return <Shown of={live.data} host={host} />;
  return <p class="faint" aria-busy={!live.problem}>{live.problem ? missing : t().common.loading}</p>;
}
