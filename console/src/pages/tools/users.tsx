// Who may use a tool.

import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { has } from '../../app/session';
import { Facts } from '../../components/facts';
import { Plain } from '../../components/plain';
import { t } from '../../text';
import { allows } from './rules';

export function Users({ tool }: { tool: Schemas['ToolDetail'] }) {
  const text = t().tools;
  const bound = tool.bound_to;
  const list = (of: readonly string[] | undefined) => of && of.length > 0 && <Plain text={of.join(', ')} most={300} />;
  return (
    <section class="stack" aria-labelledby="users">
      <h2 id="users">{text.users}</h2>
      <Facts of={[
        [text.consent, tool.requires_confirmation ? text.asks : text.asksNot],
        [text.permissions, list(tool.required_permissions) || text.none],
        [text.tenants, list(bound?.tenants)],
        [text.agents, list(bound?.agents)],
        [text.conversations, list(bound?.conversations)],
      ]} />
      {has('admin', 'auditor', 'user') && <Rules tool={tool} />}
    </section>
  );
}

function Rules({ tool }: { tool: Schemas['ToolDetail'] }) {
  const { data } = useLive('agents', (signal) => api.get('/v1/agents', { signal }));
  const named = data?.agents.map((a) => [a.agent, allows(a, tool)] as const);
  if (!named) return null;
  if (named.length === 0) return <p class="faint">{t().tools.noRules}</p>;
  return <ul class="tools-types" aria-label={t().tools.rules}>{named.map(([agent, yes]) => <li key={agent}><Plain text={agent} most={80} /> <span class={yes ? 'badge good' : 'badge bad'}>{yes ? t().tools.allowed : t().tools.denied}</span></li>)}</ul>;
}
