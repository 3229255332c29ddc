// The rules in force, and what they decide about a call.

import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { Empty } from '../../components/failure';
import { Facts } from '../../components/facts';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { t } from '../../text';
import { Explain } from './explain';

type Rule = Schemas['PolicyRule'];

export default function Policy() {
  return (
    <Page title={t().policy.title}>
      <div class="stack">
        <Explain />
        <Rules />
      </div>
    </Page>
  );
}

function Rules() {
  // Rules change with their files, which is seldom: they are read once.
  const live = useLive<Schemas['PolicyInForce']>('policy', (signal) => api.get('/v1/policy', { signal }));
  return (
    <section class="stack" aria-labelledby="rules">
      <h2 id="rules">{t().policy.rules}</h2>
      <Loaded of={live}>{(p) => (
        <>
          <Facts of={[
            [t().policy.profile, t().policy.profiles[p.profile]],
            [t().policy.tenants, Object.keys(p.tenants).length > 0 && <Plain text={Object.entries(p.tenants).map(([tenant, profile]) => `${tenant}: ${profile}`).join(', ')} most={200} />],
            [t().policy.files, p.files.length > 0 && <Plain text={p.files.join(', ')} most={200} />],
            [t().policy.worker, <Plain key="w" text={`${p.worker} (${p.pool})`} most={80} />],
            [t().policy.hash, <code key="h"><Plain text={p.sha256} most={40} /></code>],
          ]} />
          {p.rules.length === 0 ? <Empty title={t().policy.empty}>{t().policy.emptyText}</Empty> : <ol class="policy-rules">{p.rules.map((r) => <li key={`${r.at} ${r.rule}`} class="card"><One of={r} /></li>)}</ol>}
        </>
      )}</Loaded>
    </section>
  );
}

function One({ of: r }: { of: Rule }) {
  return (
    <>
      <h3><span class={`badge ${r.effect === 'permit' ? 'good' : 'bad'}`}>{t().policy.effects[r.effect]}</span> <Plain text={r.rule} most={80} /> <span class="small faint"><Plain text={r.at} most={80} /></span></h3>
      {r.reason && <p><Plain text={r.reason} most={400} /></p>}
      <details><summary>{t().policy.text}<span class="sr"> <Plain text={r.rule} most={80} /></span></summary><pre class="code" tabIndex={0} role="region" aria-label={t().policy.textOf(r.rule)}><Plain text={r.text} most={4000} /></pre></details>
    </>
  );
}
