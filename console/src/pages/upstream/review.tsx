// A definition that waits, compared with the one that was accepted.

import { useState } from 'preact/hooks';
import { api } from '../../api/client';
import { useLive } from '../../api/live';
import { asProblem, type Problem } from '../../api/problem';
import { Button } from '../../components/button';
import { Diff } from '../../components/diff';
import { Failure } from '../../components/failure';
import { Plain } from '../../components/plain';
import { toast } from '../../components/toast';
import { t } from '../../text';

export function Review({ name, done }: { name: string; done: () => void }) {
  // Once: what a person accepts is what they have read, by its hash.
  const { data, problem, refresh } = useLive(name, (signal) => api.get('/v1/upstream', { query: { name }, signal }));
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<Problem>();
  const entry = data?.tools.find((e) => e.tool === name);
  const text = t().upstream;
  if (problem) return <Failure problem={problem} retry={refresh} />;
  if (!data) return <p class="faint" aria-busy="true">{t().common.loading}</p>;
  if (!entry?.seen || entry.state === 'accepted') return <p>{text.nothing}</p>;
  const hash = entry.seen;
  const accept = async () => {
    setBusy(true);
    setFailed(undefined);
    try {
      await api.post('/v1/upstream/{name}/accept', { path: { name }, body: { hash } });
      toast(<>{text.isAccepted} <Plain text={name} most={80} /></>);
      done();
    } catch (err) {
      setFailed(asProblem(err));
      setBusy(false);
    }
  };
  return (
    <div class="stack">
      <p><strong><Plain text={name} most={120} /></strong></p>
      <p>{entry.state === 'new' ? text.newText : text.changedText}</p>
      <Diff before={lines(entry.definition)} after={lines(entry.seen_definition)} label={text.difference} />
      {failed && <Failure problem={failed} />}
      <div class="buttons">
        <Button kind="primary" busy={busy} onClick={accept}>{text.accept}</Button>
        {failed && <Button onClick={refresh}>{text.readAgain}</Button>}
      </div>
    </div>
  );
}

function lines(definition: unknown): string {
  return definition === undefined ? '' : JSON.stringify(definition, null, 2);
}
