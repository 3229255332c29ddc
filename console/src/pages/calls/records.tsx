// The audit records of a call, each held against its seal by the server.

import { useState } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';
import { useLive, type Live } from '../../api/live';
import { Failure } from '../../components/failure';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { has } from '../../app/session';
import { t } from '../../text';

type AuditRecord = Schemas['AuditRecord'];

// Records appear soon after the steps; their seals some seconds later.
const pace = 3000;

// useRecords reads the records of a call until it is done and all are sealed. Without the
// role that may see them it reads nothing.
export function useRecords(id: string, done: boolean): Live<readonly AuditRecord[] | undefined> {
  const may = has('auditor', 'admin');
  const [sealed, setSealed] = useState(false);
  return useLive<readonly AuditRecord[] | undefined>(`records ${id} ${may}`, async (signal) => {
    if (!may) return undefined;
    const { records } = await api.get('/v1/audit', { query: { call_id: id, limit: 200 }, signal });
    setSealed(records.length > 0 && records.every((r) => r.sealed || r.problem));
    return records;
  }, may && !(done && sealed) ? pace : 0);
}

export function Records({ of }: { of: Live<readonly AuditRecord[] | undefined> }) {
  const columns: readonly Column<AuditRecord>[] = [
    { id: 'phase', label: t().calls.phase, main: true, cell: (r) => t().calls.phases[r.phase] ?? r.phase },
    { id: 'time', label: t().calls.time, cell: (r) => <Time at={r.time} /> },
    { id: 'who', label: t().calls.who, cell: (r) => <Plain text={[r.by, r.worker].filter(Boolean).join(' · ') || '–'} most={64} /> },
    { id: 'what', label: t().calls.summary, cell: (r) => <Plain text={[r.decision?.reason, r.result?.error_type, r.result?.summary, r.detail].filter(Boolean).join(' · ') || '–'} most={200} /> },
    { id: 'seal', label: t().calls.seal, cell: (r) => <Seal of={r} /> },
  ];
  return (
    <section class="stack" aria-labelledby="records">
      <h2 id="records">{t().calls.records}</h2>
      {of.problem && !of.data && <Failure problem={of.problem} retry={of.refresh} />}
      {of.data?.length === 0 && <p class="faint">{t().calls.noRecords}</p>}
      {of.data && of.data.length > 0 && <Table caption={t().calls.records} columns={columns} rows={of.data} keyOf={(r) => r.audit_id} />}
    </section>
  );
}

function Seal({ of: r }: { of: AuditRecord }) {
  if (r.problem) return <span class="badge bad"><Plain text={r.problem} most={80} /></span>;
  return r.sealed ? <span class="badge good">{t().calls.sealed}</span> : <span class="badge calm">{t().calls.unsealed}</span>;
}
