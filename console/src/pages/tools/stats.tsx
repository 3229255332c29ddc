// How the calls of a tool went, as the audit trail has them.

import { api } from '../../api/client';
import { useLive } from '../../api/live';
import { Facts } from '../../components/facts';
import { Failure } from '../../components/failure';
import { Plain } from '../../components/plain';
import { Duration, Time } from '../../components/time';
import { t } from '../../text';

export function Stats({ tool }: { tool: string }) {
  // Once: counting reads many records.
  const { data, problem, refresh } = useLive(tool, (signal) => api.get('/v1/tool-stats', { query: { tool }, signal }));
  const stat = data?.tools.find((s) => s.tool === tool);
  const text = t().tools;
  return (
    <section class="stack tools-stats" aria-labelledby="stats">
      <h2 id="stats">{text.stats}</h2>
      {!data && problem && <Failure problem={problem} retry={refresh} />}
      {!data && !problem && <p class="faint" aria-busy="true">{t().common.loading}</p>}
      {data && !stat && <p class="faint">{text.noCalls} <Time at={data.from} /></p>}
      {data && stat && (
        <>
          <Facts of={[
            [text.calls, <a href={`/calls?tool=${encodeURIComponent(tool)}`}>{text.number(stat.calls)}</a>],
            [text.errors, <span class="number">{text.share(stat.errors, stat.calls)}</span>],
            [text.median, <Duration ms={stat.p50_ms} />],
            [text.p99, <Duration ms={stat.p99_ms} />],
            [text.last, <Time at={stat.last} />],
            [text.since, <Time at={data.complete ? data.from : data.oldest ?? data.from} />],
          ]} />
          {stat.errors > 0 && <ul class="tools-types" aria-label={text.errors}>{Object.entries(stat.error_types).map(([type, n]) => <li key={type}><Plain text={type} most={60} /> <span class="number">{text.number(n)}</span></li>)}</ul>}
        </>
      )}
    </section>
  );
}
