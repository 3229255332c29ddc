// What came of a call.

import { useState } from 'preact/hooks';
import { send } from '../../api/client';
import { asProblem, type Problem } from '../../api/problem';
import { Button } from '../../components/button';
import { Failure } from '../../components/failure';
import { Json } from '../../components/json';
import { Plain } from '../../components/plain';
import { toast } from '../../components/toast';
import { save } from '../../lib/save';
import { t } from '../../text';
import type { Call } from './use';

export function Outcome({ of: call }: { of: Call }) {
  if (call.state !== 'done') return null;
  const files = (call.metadata as { files?: readonly { path: string; size: number; type: string }[] } | undefined)?.files;
  return (
    <section class="stack" aria-labelledby="outcome">
      <h2 id="outcome">{t().calls.result}</h2>
      {call.error_type && <p class="calls-error"><strong><Plain text={call.error_type} /></strong> <Plain text={call.message ?? ''} most={2000} /></p>}
      {call.result !== undefined && <Json value={call.result} label={t().calls.result} />}
      {call.result_ref && <Large id={call.call_id} size={call.result_ref.size} />}
      {call.text && call.text !== call.result && <details><summary>{t().calls.text}</summary><pre class="code" tabIndex={0}><Plain text={call.text} most={6000} /></pre></details>}
      {call.kept?.left_out ? <p class="faint">{t().calls.leftOut(call.kept.left_out)}</p> : null}
      {call.truncated && <p class="faint">{t().calls.truncated}</p>}
      {call.notes && call.notes.length > 0 && <ul class="calls-notes" aria-label={t().calls.notes}>{call.notes.map((n, i) => <li key={i}><Plain text={n} most={600} /></li>)}</ul>}
      {files && files.length > 0 && (
        <details open><summary>{t().calls.files(files.length)}</summary>
          <ul>{files.map((f, i) => <li key={i}><Plain text={f.path} most={160} /> <span class="faint">{t().calls.bytes(f.size)}, <Plain text={f.type} most={60} /></span></li>)}</ul>
        </details>
      )}
      {call.metadata && Object.keys(call.metadata).some((k) => k !== 'files') && <details><summary>{t().calls.metadata}</summary><Json value={call.metadata} label={t().calls.metadata} /></details>}
    </section>
  );
}

// A result beyond this is not shown in a page.
const most = 4 << 20;

function Large({ id, size }: { id: string; size: number }) {
  const [value, setValue] = useState<{ readonly of: unknown }>();
  const [problem, setProblem] = useState<Problem>();
  const url = `/v1/calls/${encodeURIComponent(id)}/result`;
  if (value) return <Json value={value.of} label={t().calls.result} />;
  if (problem) return <Failure problem={problem} retry={() => setProblem(undefined)} />;
  return (
    <p class="buttons">
      <span>{t().calls.large(size)}</span>
      {size <= most
        ? <Button onClick={() => send('GET', url, undefined, { exact: true }).then((of) => setValue({ of }), (err) => setProblem(asProblem(err)))}>{t().calls.load}</Button>
        : <Button onClick={() => send('GET', url, undefined, { as: 'blob' }).then((all) => save(all as Blob, `${id}.json`), (err) => toast(t().problems(asProblem(err)), 'bad'))}>{t().calls.download}</Button>}
    </p>
  );
}
