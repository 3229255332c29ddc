// Who may use a tool.

import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { has } from '../../app/session';
import { Facts } from '../../components/facts';
import { Linked } from '../../components/linked';
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
        [text.consent, <Decided key="d" tool={tool.name} />],
        [text.permissions, list(tool.required_permissions) || text.none],
        [text.tenants, list(bound?.tenants)],
        [text.agents, list(bound?.agents)],
        [text.conversations, bound?.conversations?.length && bound.conversations.map((c, i) => <span key={c}>{i > 0 && ', '}<Linked name="conversation" value={c} /></span>)],
      ]} />
      {has('admin', 'auditor', 'user') && <Rules tool={tool} />}
    </section>
  );
}

// Decided shows what the policy decides now about a call of the reader.
function Decided({ tool }: { tool: string }) {
  const text = t().tools;
  const { data, problem } = useLive(`decided ${tool}`, (signal) => api.post('/v1/policy/explain', { body: { tool }, signal }));
  if (!data) return <span class="faint" aria-busy={!problem}>{problem ? text.undecided : t().common.loading}</span>;
  return (
    <span class="stack tools-decided">
      <span>{text.decided[data.outcome]}</span>
      <small class="faint"><Plain text={data.reason} most={300} />{data.depends && <> {text.depends}</>}</small>
    </span>
  );
}

function Rules({ tool }: { tool: Schemas['ToolDetail'] }) {
  const { data } = useLive('agents', (signal) => api.get('/v1/agents', { signal }));
  const named = data?.agents.map((a) => [a.agent, allows(a, tool)] as const);
  if (!named) return null;
  if (named.length === 0) return <p class="faint">{t().tools.noRules}</p>;
  return <ul class="tools-types" aria-label={t().tools.rules}>{named.map(([agent, yes]) => <li key={agent}><Plain text={agent} most={80} /> <span class={yes ? 'badge good' : 'badge bad'}>{yes ? t().tools.allowed : t().tools.denied}</span></li>)}</ul>;
}
