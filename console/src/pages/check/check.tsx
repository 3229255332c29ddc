// What the system finds when it looks at itself, with what to do: `helve doctor` in a browser.

import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { Button } from '../../components/button';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { t } from '../../text';
import { counts, worstFirst } from './order';

const tones = { ok: 'good', warning: 'warn', error: 'bad' } as const;

export default function Check() {
  // A check looks at every part of the system, so it runs when a person asks for it.
  const live = useLive<Schemas['CheckReport']>('check', (signal) => api.get('/v1/check', { signal }));
  return (
    <Page title={t().check.title} aside={<Button onClick={live.refresh}>{t().check.again}</Button>}>
      <Loaded of={live}>{({ findings }) => (
        <div class="stack">
          <p role="status">{t().check.found(counts(findings))}</p>
          <ul class="check-list">
            {worstFirst(findings).map((f, i) => (
              <li key={i} class="card">
                <h2><span class={`badge ${tones[f.level]}`}>{t().check.levels[f.level]}</span> <Plain text={f.part} most={64} /></h2>
                <p><Plain text={f.message} most={600} /></p>
                {f.advice && <p><strong>{t().check.advice}</strong> <Plain text={f.advice} most={600} /></p>}
                {f.runbook && <p><a href={`/check/${encodeURIComponent(f.runbook)}`}>{t().check.runbook}</a></p>}
              </li>
            ))}
          </ul>
        </div>
      )}</Loaded>
    </Page>
  );
}
