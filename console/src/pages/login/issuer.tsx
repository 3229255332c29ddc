// The way to the issuer and back. The server answers where it leads: only a page can send the
// secret by which it knows that the answer is for this browser.

import { useEffect, useState } from 'preact/hooks';
import { send } from '../../api/client';
import { asProblem, type Problem } from '../../api/problem';
import { Failure } from '../../components/failure';
import { place } from '../../app/router';

export function Issuer() {
  const { path, search } = place.value;
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    send('POST', path, { query: search || '?' }).then(
      (next) => { const to = (next as { location: string }).location; location.replace(to === '/' ? '/home' : to); },
      (err) => setProblem(asProblem(err)),
    );
  }, []);
  return <main class="alone" aria-busy={!problem}>{problem && <Failure problem={problem} retry={() => location.replace('/login')} />}</main>;
}
