// What a program has logged.

import { useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { Plain } from '../../components/plain';
import { Time } from '../../components/time';
import { t } from '../../text';
import type { Program } from './use';

// So many lines are shown at first, the newest.
const few = 100;

export function Log({ of: p }: { of: Program }) {
  const [all, setAll] = useState(false);
  if (p.log.length === 0) return null;
  const left = all ? 0 : Math.max(0, p.log.length - few);
  return (
    <section class="stack" aria-labelledby="log">
      <h2 id="log">{t().programs.log}</h2>
      {p.log_left_out ? <p class="faint">{t().programs.leftOut(p.log_left_out)}</p> : null}
      {left > 0 && <p><Button onClick={() => setAll(true)}>{t().plain.more(left)}</Button></p>}
      <ol class="calls-events programs-log" tabIndex={0} aria-labelledby="log">
        {p.log.slice(left).map((l, i) => <li key={left + i} class={l.level}><span class="faint"><Time at={l.at} />{l.level !== 'info' && <> <Plain text={l.level} /></>}</span> <Plain text={l.message} most={600} /></li>)}
      </ol>
    </section>
  );
}
