// All of one record of the trail.

import { api } from '../../api/client';
import { useLive } from '../../api/live';
import { Facts } from '../../components/facts';
import { Linked } from '../../components/linked';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { Plain, Short } from '../../components/plain';
import { Duration, Time } from '../../components/time';
import { t } from '../../text';
import type { Entry } from './query';

export function Seal({ of: r }: { of: Entry }) {
  if (r.problem) return <span class="badge bad"><Plain text={r.problem} most={80} /></span>;
  return r.sealed ? <span class="badge good">{t().audit.sealed}</span> : <span class="badge calm">{t().audit.unsealed}</span>;
}

// OneRecord shows the record of an address. One that is not in the list is searched for by its
// id among the newest 20,000.
export function OneRecord({ id, known }: { id: string; known: Entry | undefined }) {
  const live = useLive<{ readonly found?: Entry | undefined }>(`record ${id}`, async (signal) => {
    if (known) return { found: known };
    const { records } = await api.get('/v1/audit', { query: { text: id, newest: 'true', limit: 10 }, signal });
    return { found: records.find((r) => r.audit_id === id) };
  });
  const record = known ?? live.data?.found;
  if (record) return <Page title={t().audit.phases[record.phase]} heading={<>{t().audit.phases[record.phase]}{record.tool && <> <Short text={record.tool} most={64} /></>}</>}><Details of={record} /></Page>;
  return <Page title={t().audit.id}><Loaded of={live}>{() => <p>{t().audit.notFound}</p>}</Loaded></Page>;
}

function Details({ of: r }: { of: Entry }) {
  const plain = (text: string | undefined) => text && <Plain text={text} most={200} />;
  const link = (href: string, text: string | undefined) => text && <a href={`${href}${encodeURIComponent(text)}`}><Short text={text} most={80} /></a>;
  const by = (name: string, value: string | undefined) => link(`/audit?${name}=`, value);
  const f = t().audit.filters;
  return (
    <Facts of={[
      [t().audit.seal, <Seal key="seal" of={r} />],
      [t().audit.time, <Time key="time" at={r.time} />],
      [f.tool, by('tool', r.tool)],
      [t().audit.version, plain(r.tool_version)],
      [f.user, by('user', r.user)],
      [f.agent, by('agent', r.agent)],
      [t().audit.by, by('text', r.by)],
      [f.conversation, r.conversation && <Linked name="conversation" value={r.conversation} />],
      [f.call_id, link('/calls/', r.call_id)],
      [f.trace_id, link('/traces/', r.trace_id)],
      [t().audit.consent, link('/consents/', r.consent_id)],
      [t().audit.grant, by('text', r.grant_id)],
      [t().audit.token, by('text', r.token_id)],
      [t().audit.outcome, plain([r.decision?.outcome && (t().audit.outcomes[r.decision.outcome] ?? r.decision.outcome), r.decision?.reason].filter(Boolean).join(': '))],
      [t().audit.rule, plain(r.decision?.rule)],
      [t().audit.status, plain([r.result?.status, r.result?.error_type, r.result?.summary].filter(Boolean).join(' · '))],
      [t().audit.took, r.duration_ms !== undefined && <Duration ms={r.duration_ms} />],
      [t().audit.worker, by('text', r.worker)],
      [t().audit.detail, plain(r.detail)],
      [t().audit.hash, by('text', r.args_hash)],
      [t().audit.place, r.seq !== undefined && <span class="number">{r.seq}{r.part ? `.${r.part}` : ''}</span>],
      [t().audit.id, plain(r.audit_id)],
    ]} />
  );
}
