// Connecting a person's account: a link to the provider, and whether it was used.

import { useState } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { asProblem, type Problem } from '../../api/problem';
import { Button } from '../../components/button';
import { Failure, Stale } from '../../components/failure';
import { Plain } from '../../components/plain';
import { Countdown } from '../../components/time';
import { actor, me } from '../../app/session';
import { t } from '../../text';
import type { Service } from './entry';

type Connection = Schemas['Connection'];

// A person is some time at the provider; the answer is read at the pace of its device codes.
const pace = 3000;

export function Connect({ service, done }: { service: Service; done: () => void }) {
  const [begun, setBegun] = useState<Connection>();
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const begin = async (user: string) => {
    setBusy(true);
    setProblem(undefined);
    try {
      setBegun(await api.post('/v1/services/{service}/{label}/connect', { path: { service: service.name, label: 'default' }, query: { browser: 'true', user }, body: undefined }));
    } catch (err) {
      setProblem(asProblem(err));
    }
    setBusy(false);
  };
  if (begun) return <Wait of={begun} done={done} />;
  return (
    <form class="stack" onSubmit={(e) => { e.preventDefault(); if (!busy) void begin(String(new FormData(e.currentTarget).get('user') ?? '').trim()); }}>
      <p>{t().services.connectText}</p>
      {!me.value.user && <label class="field">{t().services.person}<input name="user" defaultValue={actor.value} required pattern="[A-Za-z0-9_\-]{1,64}" maxLength={64} autocomplete="off" /></label>}
      {problem && <Failure problem={problem} />}
      <div class="buttons"><Button type="submit" kind="primary" busy={busy}>{t().services.begin}</Button></div>
    </form>
  );
}

function Wait({ of, done }: { of: Connection; done: () => void }) {
  const [over, setOver] = useState(false);
  const at = { path: { service: of.service, label: 'default' }, query: { connection_id: of.connection_id, user: of.user } };
  const live = useLive<Connection>(`connection ${of.connection_id}`, async (signal) => {
    const now = await api.get('/v1/services/{service}/{label}/connect', { ...at, signal });
    if (now.status !== 'pending' && now.status !== 'confirm') setOver(true);
    return now;
  }, over ? 0 : pace);
  const { status } = live.data ?? of;
  const link = safe(of.connect_url);
  return (
    <div class="stack">
      <p role="status">{t().services.connections[status]}</p>
      <Stale problem={live.problem} />
      {status === 'pending' && (link ? <p><a class="button primary" href={link} target="_blank" rel="noopener noreferrer">{t().services.open} <Plain text={of.service} most={64} /></a></p> : <p class="bad">{t().services.noLink}</p>)}
      {status === 'confirm' && <Confirm of={of} confirmed={live.refresh} />}
      {(status === 'pending' || status === 'confirm') && <p class="faint">{t().services.left} <Countdown until={of.expires_at} /></p>}
      {status !== 'pending' && status !== 'confirm' && <div class="buttons"><Button kind="primary" onClick={done}>{t().services.done}</Button></div>}
    </div>
  );
}

// Confirm takes the code that the browser of the connection shows, so that nobody connects
// the account of a person to whom they sent their link.
function Confirm({ of, confirmed }: { of: Connection; confirmed: () => void }) {
  const [problem, setProblem] = useState<Problem>();
  const confirm = async (code: string) => {
    setProblem(undefined);
    try {
      await api.post('/v1/services/{service}/{label}/connect', { path: { service: of.service, label: 'default' }, query: { connection_id: of.connection_id, code, user: of.user }, body: undefined });
    } catch (err) {
      setProblem(asProblem(err));
    }
    confirmed();
  };
  return (
    <form onSubmit={(e) => { e.preventDefault(); void confirm(String(new FormData(e.currentTarget).get('code') ?? '').trim()); }}>
      <label class="field">{t().services.code}<input name="code" required maxLength={32} autocomplete="one-time-code" spellcheck={false} /></label>
      {problem && <Failure problem={problem} />}
      <Button type="submit" kind="primary">{t().services.confirm}</Button>
    </form>
  );
}

// safe returns an address that a browser may open, or undefined.
export function safe(url: string | undefined): string | undefined {
  try {
    const parsed = new URL(url ?? '');
    return /^https?:$/.test(parsed.protocol) ? parsed.href : undefined;
  } catch {
    return undefined;
  }
}
