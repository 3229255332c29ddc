// What is kept of a person: how much of what, its export, and its end.

import { useState } from 'preact/hooks';
import { api, send, urlOf, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { asProblem } from '../../api/problem';
import { useQuery } from '../../app/router';
import { has, me } from '../../app/session';
import { Button } from '../../components/button';
import { Empty } from '../../components/failure';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { toast } from '../../components/toast';
import { save } from '../../lib/save';
import { t } from '../../text';
import { Erase } from './erase';

type Collection = Schemas['DataCollection'];
type Format = keyof ReturnType<typeof t>['data']['formats'];

export default function Data() {
  const [query, setQuery] = useQuery();
  const user = query.get('user') || me.value.user;
  const text = t().data;
  return (
    <Page title={text.title}>
      <p class="faint">{text.about}</p>
      {(has('admin') || !me.value.user) && (
        <search class="filters">
          <label class="field">{t().calls.user}
            <input name="user" key={user} defaultValue={user} pattern="[A-Za-z0-9_\-]{1,64}" maxLength={64} autocomplete="off" spellcheck={false}
              onChange={(e) => { if (e.currentTarget.reportValidity()) setQuery({ user: e.currentTarget.value }); }} />
          </label>
        </search>
      )}
      {user ? <Kept key={user} user={user} /> : <Empty title={text.whose} />}
    </Page>
  );
}

function Kept({ user }: { user: string }) {
  const live = useLive<Schemas['DataSummary']>(`data ${user}`, (signal) => api.get('/v1/data', { query: { user }, signal }));
  const text = t().data;
  const columns: readonly Column<Collection>[] = [
    { id: 'name', label: text.collection, main: true, cell: (c) => <Plain text={c.name} most={80} /> },
    { id: 'items', label: text.items, numeric: true, cell: (c) => <span class="number">{text.number(c.items)}</span> },
    { id: 'bytes', label: text.size, numeric: true, cell: (c) => <span class="number">{text.number(c.bytes)}</span> },
  ];
  return (
    <Loaded of={live}>{(sum) => (
      <div class="stack">
        {sum.items === 0 ? <Empty title={text.empty}>{text.emptyText}</Empty> : <><p>{text.all(sum.items, sum.bytes)}</p><Table caption={text.title} columns={columns} rows={sum.collections} keyOf={(c) => c.name} /></>}
        <Export user={user} />
        <Erase user={user} after={live.refresh} />
      </div>
    )}</Loaded>
  );
}

function Export({ user }: { user: string }) {
  const [format, setFormat] = useState<Format>('jsonl');
  const [busy, setBusy] = useState(false);
  const text = t().data;
  const get = async () => {
    setBusy(true);
    try {
      save((await send('GET', urlOf('/v1/data/export', {}, { user, format }), undefined, { as: 'blob' })) as Blob, `${user}.${format}`);
    } catch (err) {
      toast(t().problems(asProblem(err)), 'bad');
    }
    setBusy(false);
  };
  return (
    <div class="buttons">
      <label class="field">{text.format}
        <select name="format" value={format} onChange={(e) => setFormat(e.currentTarget.value as Format)}>{(Object.keys(text.formats) as Format[]).map((f) => <option key={f} value={f}>{text.formats[f]}</option>)}</select>
      </label>
      <Button busy={busy} onClick={get}>{text.export}</Button>
    </div>
  );
}
