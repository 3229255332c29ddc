// What the system finds when it looks at itself, with what to do: `helve doctor` in a browser,
// which looks again by itself and says what is new and what is over.

import { useRef } from 'preact/hooks';
import { api } from '../../api/client';
import { useLive } from '../../api/live';
import { Button } from '../../components/button';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { Time } from '../../components/time';
import { serverNow } from '../../lib/clock';
import { usePlace } from '../../lib/place';
import { t } from '../../text';
import { counts } from './order';
import { follow, partsOf, type Seen } from './seen';

const tones = { ok: 'good', warning: 'warn', error: 'bad' } as const;

// A fault is seldom and needs a person; a dispatcher examines the system for all who look
// within two seconds at once, so this pace costs it nothing that counts.
const pace = 15_000;

export default function Check() {
  const seen = useRef<readonly Seen[]>([]);
  const list = useRef<HTMLUListElement>(null);
  const live = useLive('check', async (signal) => {
    const { findings } = await api.get('/v1/check', { signal });
    return { at: new Date(serverNow()).toISOString(), seen: (seen.current = follow(seen.current, findings)), counts: counts(findings) };
  }, pace);
  usePlace(list, live.data);
  // A person who looks by hand has read the marks.
  const again = () => { seen.current = []; live.refresh(); };
  return (
    <Page title={t().check.title} aside={<Button onClick={again}>{t().check.again}</Button>}>
      <Loaded of={live}>{(look) => (
        <div class="stack">
          <div>
            <div role="status">
              <p>{t().check.found(look.counts)}</p>
              <p class="check-news"><News of={look.seen} /></p>
            </div>
            <p class="faint">{t().check.pace(pace / 1000)} <span class="check-looked">{t().check.looked} <Time at={look.at} /></span></p>
          </div>
          <ul class="check-list" ref={list}>{look.seen.map((s) => <One key={s.id} of={s} />)}</ul>
        </div>
      )}</Loaded>
    </Page>
  );
}

// News names the parts of what has come and gone.
function News({ of }: { of: readonly Seen[] }) {
  const [fresh, over] = [partsOf(of, 'new'), partsOf(of, 'over')];
  return (
    <>
      {fresh.length > 0 && <span class="check-part">{t().check.marks.new}: <Plain text={fresh.join(', ')} most={200} /></span>}
      {over.length > 0 && <span class="check-part">{t().check.marks.over}: <Plain text={over.join(', ')} most={200} /></span>}
    </>
  );
}

// What is over keeps its words and its height: a person may be reading it.
function One({ of: { finding: f, mark } }: { of: Seen }) {
  return (
    <li class="card">
      <h2>
        <span class={`badge ${mark === 'over' ? 'calm' : tones[f.level]}`}>{t().check.levels[f.level]}</span> <Plain text={f.part} most={64} />
        {mark && <> <span class={`badge ${mark === 'over' ? 'good' : 'calm'}`}>{t().check.marks[mark]}</span></>}
      </h2>
      <p><Plain text={f.message} most={600} /></p>
      {f.advice && <p><strong>{t().check.advice}</strong> <Plain text={f.advice} most={600} /></p>}
      {f.runbook && <p><a href={`/check/${encodeURIComponent(f.runbook)}`}>{t().check.runbook}</a></p>}
    </li>
  );
}
