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

type Report = Schemas['AuditReport'];
type Wrong = Schemas['AuditProblem'];

export function Verify() {
  const [report, setReport] = useState<Report>();
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const verify = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      setReport(await api.get('/v1/audit/verify', {}));
    } catch (err) {
      setProblem(asProblem(err));
    }
    setBusy(false);
  };
  return (
    <section class="stack" aria-labelledby="verify">
      <h2 id="verify">{t().audit.verifyTitle}</h2>
      <p class="faint">{t().audit.verifyText}</p>
      <div class="buttons"><Button kind="primary" busy={busy} onClick={verify}>{t().audit.verify}</Button></div>
      <div role="status" class="stack">
        {report && <p><span class={`badge ${report.ok ? 'good' : 'bad'}`}>{report.ok ? t().audit.valid : t().audit.invalid}</span> {t().audit.report(report.records, report.sealed_to, report.problem_count)}</p>}
      </div>
      {problem && <Failure problem={problem} />}
      {report && report.problems.length > 0 && <Problems of={report.problems} />}
      <Key />
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

// Key shows the public key, which the server sends as PEM, not as JSON.
function Key() {
  const live = useLive<string>('audit key', (signal) => send('GET', '/v1/audit/public-key', undefined, { signal, text: true }) as Promise<string>);
  return (
    <details>
      <summary>{t().audit.key}</summary>
      <p class="faint">{t().audit.keyText}</p>
      <Loaded of={live}>{(pem) => <pre class="code" tabIndex={0} role="region" aria-label={t().audit.key}><Plain text={pem} /></pre>}</Loaded>
    </details>
  );
}
