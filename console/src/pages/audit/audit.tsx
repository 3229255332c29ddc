// The audit trail: search, whether its seals are valid, and its export.

import { useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { Empty, Failure, Stale } from '../../components/failure';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { useQuery } from '../../app/router';
import { t } from '../../text';
import { Export } from './export';
import { Filter } from './filter';
import { chosenOf, seals, type Entry } from './query';
import { Details, Seal } from './record';
import { useTrail } from './use';
import { Verify } from './verify';

export default function Audit() {
  const [query, setQuery] = useQuery();
  const chosen = chosenOf(query);
  const { records, live, more, problem, showMore } = useTrail(chosen);
  return (
    <Page title={t().audit.title} aside={<Export chosen={chosen} />}>
      <div class="stack">
        <Verify chosen={chosen} />
        <section class="stack" aria-labelledby="records">
          <h2 id="records">{t().audit.records}</h2>
          <Filter chosen={chosen} change={setQuery} />
          {!records && (live.problem ? <Failure problem={live.problem} retry={live.refresh} /> : <p class="faint" aria-busy="true">{t().common.loading}</p>)}
          <Stale problem={records && live.problem} />
          {records && <p role="status" class={seals(records).wrong > 0 ? 'bad' : 'faint'}>{t().audit.sealsOf(seals(records))}</p>}
          {records?.length === 0 && <Empty title={t().audit.empty}>{more ? t().audit.emptySoFar : Object.keys(chosen).length > 0 ? t().audit.emptyFiltered : t().audit.emptyText}</Empty>}
          {records && records.length > 0 && <List records={records} />}
          {problem && <Failure problem={problem} />}
          {more && <p><Button onClick={showMore}>{chosen.text ? t().audit.older : t().common.more}</Button></p>}
        </section>
      </div>
    </Page>
  );
}

function List({ records }: { records: readonly Entry[] }) {
  const [open, setOpen] = useState<Entry>();
  const columns: readonly Column<Entry>[] = [
    { id: 'what', label: t().audit.phase, main: true, cell: (r) => t().audit.phases[r.phase] },
    { id: 'tool', label: t().audit.filters.tool, cell: (r) => <Plain text={r.tool ?? '–'} most={64} /> },
    { id: 'who', label: t().audit.who, cell: (r) => <Plain text={[r.by, r.user, r.agent].filter((x, i, all) => x && all.indexOf(x) === i).join(' · ') || '–'} most={64} /> },
    { id: 'why', label: t().audit.detail, cell: (r) => <Plain text={[r.decision?.reason, r.result?.error_type, r.result?.summary, r.detail].filter(Boolean).join(' · ') || '–'} most={120} /> },
    { id: 'time', label: t().audit.time, cell: (r) => <Time at={r.time} /> },
    { id: 'seal', label: t().audit.seal, cell: (r) => <Seal of={r} /> },
    { id: 'open', label: t().audit.all, cell: (r) => <Button label={`${t().audit.open}: ${t().audit.phases[r.phase]} ${r.tool ?? ''}`} onClick={() => setOpen(r)}>{t().audit.open}</Button> },
  ];
  return (
    <>
      <div class="audit-list"><Table caption={t().audit.records} columns={columns} rows={records} keyOf={(r) => r.audit_id} /></div>
      {open && <Dialog title={t().audit.phases[open.phase]} onClose={() => setOpen(undefined)}><Details of={open} /></Dialog>}
    </>
  );
}
