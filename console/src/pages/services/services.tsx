// Outside services that tools use, and the entries with their keys, which are never shown.

import { useState } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { Empty } from '../../components/failure';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { has } from '../../app/session';
import { t } from '../../text';
import { Connect } from './connect';
import { Entries } from './entries';
import { isAccount, type Service, type Stored } from './entry';
import { Form } from './form';

type Open = { readonly service: Service; readonly entry?: Stored; readonly connect?: boolean };

export default function Services() {
  const [open, setOpen] = useState<Open>();
  // Entries change when a person changes them, and then the page reads them again.
  const live = useLive<Schemas['ServiceList']>('services', (signal) => api.get('/v1/services', { signal }));
  const close = () => setOpen(undefined);
  const done = () => { close(); live.refresh(); };
  const columns: readonly Column<Service>[] = [
    { id: 'name', label: t().services.service, main: true, cell: (s) => <Plain text={s.title ?? s.name} most={80} /> },
    { id: 'about', label: t().services.about, cell: (s) => s.description ? <Plain text={s.description} most={200} /> : <span class="faint">–</span> },
    { id: 'type', label: t().services.type, cell: (s) => t().services.types[s.type] },
    { id: 'acts', label: t().services.actions, cell: (s) => (
      <div class="buttons">
        {(has('admin') || !s.shared) && <Button label={t().services.addOf(s.name)} onClick={() => setOpen({ service: s })}>{t().services.add}</Button>}
        {isAccount(s) && <Button label={t().services.connectOf(s.name)} onClick={() => setOpen({ service: s, connect: true })}>{t().services.connect}</Button>}
      </div>
    ) },
  ];
  return (
    <Page title={t().services.title}>
      <p class="faint services-about">{t().services.intro}</p>
      <Loaded of={live}>{({ services, entries }) => (
        <div class="stack">
          <section class="stack" aria-labelledby="entries">
            <h2 id="entries">{t().services.entries}</h2>
            {entries.length === 0 ? <Empty title={t().services.empty}>{t().services.emptyText}</Empty> : <Entries of={entries} services={services} change={(service, entry) => setOpen({ service, entry })} changed={live.refresh} />}
          </section>
          <section class="stack" aria-labelledby="services">
            <h2 id="services">{t().services.known}</h2>
            <Table caption={t().services.known} columns={columns} rows={services} keyOf={(s) => s.name} />
          </section>
        </div>
      )}</Loaded>
      {open && (
        <Dialog title={open.connect ? t().services.connectOf(open.service.name) : open.entry ? t().services.changeOf(open.entry.service) : t().services.addOf(open.service.name)} onClose={open.connect ? done : close}>
          {open.connect ? <Connect service={open.service} done={done} /> : <Form service={open.service} entry={open.entry} done={done} />}
        </Dialog>
      )}
    </Page>
  );
}
