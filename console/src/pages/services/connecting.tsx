// The page that opens a link to connect an account, and to which the provider sends the person
// back: it shows the server who the person is, which no link can.

import { useEffect, useState } from 'preact/hooks';
import { send, type Schemas } from '../../api/client';
import { asProblem, type Problem } from '../../api/problem';
import { Failure } from '../../components/failure';
import { Page } from '../../components/page';
import type { PageProps } from '../../app/area';
import { t } from '../../text';

type Next = { readonly location: string } | { readonly status: Schemas['Connection']['status'] };

export default function Connecting({ params }: PageProps) {
  const [status, setStatus] = useState<Schemas['Connection']['status']>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    const { pathname, search } = location;
    history.replaceState(null, '', pathname); // the code works once
    send('GET', `/v1/connect/${encodeURIComponent(params['id'] ?? '')}${search}`).then((answer) => {
      const next = answer as Next;
      if ('location' in next) location.replace(next.location);
      else setStatus(next.status);
    }, (err) => setProblem(asProblem(err)));
  }, []);
  return (
    <Page title={t().services.connect}>
      <div aria-busy={!status && !problem}>
        {status && <p role="status">{t().services.connections[status]}</p>}
        {problem && <Failure problem={problem} />}
      </div>
    </Page>
  );
}
