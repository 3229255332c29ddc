// Whether the trail matches its seals, and the key with which anybody can check that.

import { useState } from 'preact/hooks';
import { api, send, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { asProblem, type Problem } from '../../api/problem';
import { Button } from '../../components/button';
import { Failure } from '../../components/failure';
import { Loaded } from '../../components/loaded';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { t } from '../../text';
import { keysOf, type Key } from './key';
import type { Filters } from './query';
import { rangeOf } from './range';

type Report = Schemas['AuditReport'];
type Wrong = Schemas['AuditProblem'];

export function Verify({ chosen }: { chosen: Filters }) {
  const [report, setReport] = useState<Report>();
  const [problem, setProblem] = useState<Problem>();
  const [empty, setEmpty] = useState(false);
  const [busy, setBusy] = useState(false);
  const verify = async (part: boolean) => {
    setBusy(true);
    setProblem(undefined);
    setReport(undefined);
    try {
      const range = part ? await rangeOf(chosen) : undefined;
      setEmpty(part && !range);
      if (!part || range) setReport(await api.get('/v1/audit/verify', { query: { ...range } }));
    } catch (err) {
      setProblem(asProblem(err));
    }
    setBusy(false);
  };
  const timed = !!chosen.from || !!chosen.to;
  return (
    <section class="stack" aria-labelledby="verify">
      <h2 id="verify">{t().audit.verifyTitle}</h2>
      <p class="faint">{t().audit.verifyText}</p>
      <div class="buttons">
        <Button kind="primary" busy={busy} onClick={() => verify(false)}>{t().audit.verify}</Button>
        <Button busy={busy} disabled={!timed} onClick={() => verify(true)}>{t().audit.verifyRange}</Button>
      </div>
      <p class="faint">{timed ? t().audit.rangeText : t().audit.rangeHint}</p>
      <div role="status" class="stack">
        {empty && <p>{t().audit.rangeEmpty}</p>}
        {report && <p><span class={`badge ${report.ok ? 'good' : 'bad'}`}>{report.from_seq ? (report.ok ? t().audit.validRange : t().audit.invalidRange) : report.ok ? t().audit.valid : t().audit.invalid}</span> {report.from_seq && report.to_seq ? t().audit.reportRange(report.records, report.from_seq, report.to_seq, report.problem_count) : t().audit.report(report.records, report.sealed_to, report.problem_count)}</p>}
        {report?.key_ids && <p>{t().audit.signedWith} <code>{report.key_ids.join(', ')}</code></p>}
      </div>
      {problem && <Failure problem={problem} />}
      {report && report.problems.length > 0 && <Problems of={report.problems} />}
      <Keys />
    </section>
  );
}

function Problems({ of }: { of: readonly Wrong[] }) {
  const columns: readonly Column<Wrong>[] = [
    { id: 'kind', label: t().audit.wrong, main: true, cell: (p) => <Plain text={p.kind} most={80} /> },
    { id: 'place', label: t().audit.place, numeric: true, cell: (p) => <span class="number">{p.seq}{p.part ? `.${p.part}` : ''}</span> },
    { id: 'detail', label: t().audit.detail, cell: (p) => <Plain text={p.detail} most={300} /> },
  ];
  return <Table caption={t().audit.wrong} columns={columns} rows={of} keyOf={(p) => `${p.kind} ${p.seq} ${p.part ?? 0} ${p.detail}`} />;
}

// Keys shows the public keys, which the server sends as PEM, not as JSON.
function Keys() {
  const live = useLive<readonly Key[]>('audit key', async (signal) => keysOf(await (send('GET', '/v1/audit/public-key', undefined, { signal, as: 'text' }) as Promise<string>)));
  return (
    <details>
      <summary>{t().audit.key}</summary>
      <p class="faint">{t().audit.keyText}</p>
      <Loaded of={live}>{(keys) => (
        <>{keys.map(({ id, pem }) => (
          <div key={id} class="stack">
            <p>{t().audit.keyId} <code>{id}</code></p>
            <pre class="code" tabIndex={0} role="region" aria-label={`${t().audit.key} ${id}`}><Plain text={pem} /></pre>
          </div>
        ))}</>
      )}</Loaded>
    </details>
  );
}
