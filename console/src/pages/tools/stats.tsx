// How the calls of a tool went, as the audit trail has them.

import { send, urlOf } from '../../api/client';
import { useLive } from '../../api/live';
import { Facts } from '../../components/facts';
import { Failure } from '../../components/failure';
import { Plain } from '../../components/plain';
import { Duration, Time } from '../../components/time';
import { t } from '../../text';

// ToolStats is what GET /v1/tool-stats answers, as far as it is shown.
interface ToolStats {
  readonly from: string;
  readonly complete: boolean;
  readonly oldest?: string;
  readonly tools: readonly {
    readonly tool: string; readonly calls: number; readonly errors: number; readonly error_types: Readonly<Record<string, number>>;
    readonly p50_ms: number; readonly p99_ms: number; readonly last: string;
  }[];
}

export function Stats({ tool }: { tool: string }) {
  // Once: counting reads many records.
  const { data, problem, refresh } = useLive(tool, (signal) => send('GET', urlOf('/v1/tool-stats', {}, { tool }), undefined, { signal }) as Promise<ToolStats>);
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
