// Remembered decisions: what is allowed or refused without asking again. Each can be revoked.

import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { Act } from '../../components/act';
import { Empty } from '../../components/failure';
import { Linked } from '../../components/linked';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { useQuery } from '../../app/router';
import { actor, has, me } from '../../app/session';
import { t } from '../../text';

type Grant = Schemas['Grant'];

// The API has no stream of grants; another person's decision appears soon enough.
const pace = 5000;

export default function Grants() {
  const [query, setQuery] = useQuery();
  const user = query.get('user') ?? '';
  const live = useLive<Schemas['GrantList']>(`grants ${user}`, (signal) => api.get('/v1/grants', { query: { user }, signal }), pace);
  const columns: readonly Column<Grant>[] = [
    { id: 'what', label: t().grants.what, main: true, cell: (g) => <Plain text={g.tool ?? g.permission ?? g.tools?.join(', ') ?? g.grant_id} most={80} /> },
    { id: 'decision', label: t().grants.decision, cell: (g) => <span class={`badge ${g.deny ? 'bad' : 'good'}`}>{g.deny ? t().grants.refused : t().grants.allowed}</span> },
    { id: 'where', label: t().grants.where, cell: (g) => g.program ? <span>{t().grants.program} <Plain text={g.program} most={48} /></span> : g.conversation ? <span>{t().grants.conversation} <Linked name="conversation" value={g.conversation} most={48} /></span> : t().grants.everywhere },
    { id: 'scopes', label: t().grants.reach, cell: (g) => <Reach of={g} /> },
    { id: 'user', label: t().grants.user, cell: (g) => <Plain text={g.user === g.by ? g.user : t().grants.byFor(g.by, g.user)} most={80} /> },
    { id: 'at', label: t().grants.since, cell: (g) => <Time at={g.granted_at} /> },
    { id: 'revoke', label: t().grants.actions, cell: (g) => (
      <Act label={t().grants.revoke} of={g.tool ?? g.permission ?? g.grant_id} kind="bad" title={t().grants.revokeTitle} done={t().grants.revoked} after={live.refresh}
        run={() => api.delete('/v1/grants/{grant_id}', { path: { grant_id: g.grant_id }, query: me.value.user ? {} : { by: actor.value || g.user } })}>
        <p><strong><Plain text={g.tool ?? g.permission ?? ''} most={80} /></strong></p><p>{g.deny ? t().grants.revokeDeny : t().grants.revokeText}</p>
      </Act>
    ) },
  ];
  return (
    <Page title={t().grants.title}>
      <p class="faint">{t().grants.about}</p>
      {has('approver', 'admin') && (
        <search class="filters">
          <label class="field">{t().grants.user}
            <input name="user" key={user} defaultValue={user} pattern="[A-Za-z0-9_\-]{1,64}" maxLength={64} autocomplete="off" spellcheck={false}
              onChange={(e) => { if (e.currentTarget.reportValidity()) setQuery({ user: e.currentTarget.value }); }} />
          </label>
        </search>
      )}
      <Loaded of={live}>{({ grants }) => grants.length === 0
        ? <Empty title={t().grants.empty}>{t().grants.emptyText}</Empty>
        : <Table caption={t().grants.title} columns={columns} rows={grants} keyOf={(g) => g.grant_id} />}</Loaded>
    </Page>
  );
}

function Reach({ of: { scopes } }: { of: Grant }) {
  const all = scopes ? [...scopes.paths, ...scopes.hosts, ...scopes.apps] : [];
  return all.length > 0 ? <Plain text={all.join(', ')} most={120} /> : <span class="faint">–</span>;
}
