// All of one record of the trail.

import { Facts } from '../../components/facts';
import { Plain } from '../../components/plain';
import { Duration, Time } from '../../components/time';
import { t } from '../../text';
import type { Entry } from './query';

export function Seal({ of: r }: { of: Entry }) {
  if (r.problem) return <span class="badge bad"><Plain text={r.problem} most={80} /></span>;
  return r.sealed ? <span class="badge good">{t().audit.sealed}</span> : <span class="badge calm">{t().audit.unsealed}</span>;
}

export function Details({ of: r }: { of: Entry }) {
  const plain = (text: string | undefined) => text && <Plain text={text} most={200} />;
  const link = (path: string, id: string | undefined) => id && <a href={`${path}/${encodeURIComponent(id)}`}><Plain text={id} most={80} /></a>;
  const f = t().audit.filters;
  return (
    <Facts of={[
      [t().audit.seal, <Seal key="seal" of={r} />],
      [t().audit.time, <Time key="time" at={r.time} />],
      [f.tool, plain(r.tool)],
      [t().audit.version, plain(r.tool_version)],
      [f.user, plain(r.user)],
      [f.agent, plain(r.agent)],
      [t().audit.by, plain(r.by)],
      [f.conversation, plain(r.conversation)],
      [f.call_id, link('/calls', r.call_id)],
      [f.trace_id, link('/traces', r.trace_id)],
      [t().audit.consent, link('/consents', r.consent_id)],
      [t().audit.grant, plain(r.grant_id)],
      [t().audit.token, plain(r.token_id)],
      [t().audit.outcome, plain([r.decision?.outcome && (t().audit.outcomes[r.decision.outcome] ?? r.decision.outcome), r.decision?.reason].filter(Boolean).join(': '))],
      [t().audit.rule, plain(r.decision?.rule)],
      [t().audit.status, plain([r.result?.status, r.result?.error_type, r.result?.summary].filter(Boolean).join(' · '))],
      [t().audit.took, r.duration_ms !== undefined && <Duration ms={r.duration_ms} />],
      [t().audit.worker, plain(r.worker)],
      [t().audit.detail, plain(r.detail)],
      [t().audit.hash, plain(r.args_hash)],
      [t().audit.place, r.seq !== undefined && <span class="number">{r.seq}{r.part ? `.${r.part}` : ''}</span>],
      [t().audit.id, plain(r.audit_id)],
    ]} />
  );
}
