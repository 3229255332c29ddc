// The entries that the viewer may see, and what is done with them.

import { useState } from 'preact/hooks';
import { api } from '../../api/client';
import { asProblem } from '../../api/problem';
import { Act } from '../../components/act';
import { Button } from '../../components/button';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { toast } from '../../components/toast';
import { t } from '../../text';
import { isSet, serviceOf, shown, type Service, type Stored } from './entry';

interface Props {
  readonly of: readonly Stored[];
  readonly services: readonly Service[];
  readonly change: (service: Service, entry: Stored) => void;
  readonly changed: () => void;
}

export function Entries({ of, services, change, changed }: Props) {
  const columns: readonly Column<Stored>[] = [
    { id: 'service', label: t().services.service, main: true, cell: (e) => <Plain text={e.label === 'default' ? e.service : `${e.service} · ${e.label}`} most={80} /> },
    { id: 'user', label: t().services.whose, cell: (e) => e.user ? <Plain text={e.user} most={64} /> : t().services.everybody },
    { id: 'fields', label: t().services.fields, cell: (e) => <Fields of={e} /> },
    { id: 'active', label: t().services.state, cell: (e) => <span class={`badge ${e.active ? 'good' : 'calm'}`}>{e.active ? t().services.active : t().services.inactive}</span> },
    { id: 'at', label: t().services.at, cell: (e) => <Time at={e.at} /> },
    { id: 'acts', label: t().services.actions, cell: (e) => {
      const service = serviceOf(e, services);
      return (
        <div class="buttons">
          {service && <Button label={t().services.changeOf(e.service)} onClick={() => change(service, e)}>{t().services.change}</Button>}
          {services.find((s) => s.name === e.service)?.testable && <Test of={e} />}
          <Act label={t().services.delete} of={e.service} kind="bad" title={t().services.deleteTitle} done={t().services.deleted} after={changed}
            run={() => api.delete('/v1/services/{service}/{label}', { path: { service: e.service, label: e.label }, query: { user: e.user ?? '' } })}>
            <p><strong><Plain text={`${e.service} · ${e.label}`} most={120} /></strong></p><p>{t().services.deleteText}</p>
          </Act>
        </div>
      );
    } },
  ];
  return <Table caption={t().services.entries} columns={columns} rows={of} keyOf={(e) => `${e.service} ${e.user ?? ''} ${e.label}`} />;
}

function Fields({ of: e }: { of: Stored }) {
  const all = Object.entries(e.fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    <ul>
      {all.map(([name, v]) => <li key={name}><Plain text={name} most={48} />: {isSet(v) ? <span class="faint">{t().services.secretSet}</span> : <Plain text={shown(v)} most={80} />}</li>)}
    </ul>
  );
}

function Test({ of: e }: { of: Stored }) {
  const [busy, setBusy] = useState(false);
  const test = async () => {
    setBusy(true);
    try {
      const { ok, message } = await api.post('/v1/services/{service}/{label}/test', { path: { service: e.service, label: e.label }, query: { user: e.user ?? '' }, body: undefined });
      toast(<Plain text={message} most={300} />, ok ? 'good' : 'bad');
    } catch (err) {
      toast(t().problems(asProblem(err)), 'bad');
    }
    setBusy(false);
  };
  return <Button label={t().services.testOf(e.service)} busy={busy} onClick={test}>{t().services.test}</Button>;
}
