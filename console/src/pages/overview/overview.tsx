// The first page of operators: what waits and runs now, and what the workers did.

import type { ComponentChildren } from 'preact';
import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { Stale } from '../../components/failure';
import { Page } from '../../components/page';
import { counts } from '../../app/counts';
import { duration } from '../../lib/time';
import { language, t } from '../../text';
import { History } from './history';

// Heartbeats come each two seconds; a person who looks for long needs no more than this.
const pace = 5000;

export default function Overview() {
  const pools = useLive<Schemas['PoolList']>('pools', (signal) => api.get('/v1/pools', { signal }), pace);
  const now = pools.data && sum(pools.data.pools);
  const text = t().overview;
  const c = counts.value;
  const number = (n: number | undefined) => (n === undefined ? '–' : n.toLocaleString(language.value, { maximumFractionDigits: 1 }));
  return (
    <Page title={text.title}>
      <div class="stack">
        <Stale problem={pools.problem} />
        <ul class="overview-now" aria-label={text.now}>
          <Card href="/fleet" name={text.rate} value={number(now?.rate)} />
          <Card href="/fleet" name={text.backlog} value={number(now?.backlog)} tone={now && now.backlog > 0 && now.busy === 0 ? 'warn' : undefined}>
            {now && now.backlog > 0 ? text.oldest(duration(now.oldest * 1000, language.value)) : text.nothingWaits}
          </Card>
          <Card href="/fleet" name={text.slots} value={now ? text.of(now.busy, now.slots) : '–'} tone={now && now.slots === 0 ? 'bad' : undefined}>
            {now && text.workers(now.workers)}
          </Card>
          {c.consents !== undefined && <Card href="/" name={text.consents} value={text.atMost(c.consents)} />}
          {c.findings && <Card href="/check" name={text.findings} value={number(c.findings.errors + c.findings.warnings)}
            tone={c.findings.errors > 0 ? 'bad' : c.findings.warnings > 0 ? 'warn' : undefined}>{text.found(c.findings.errors, c.findings.warnings)}</Card>}
          {c.dead !== undefined && <Card href="/dead" name={t().dead.title} value={text.atMost(c.dead)} tone={c.dead > 0 ? 'warn' : undefined} />}
          {c.upstream !== undefined && <Card href="/upstream" name={text.upstream} value={text.atMost(c.upstream)} tone={c.upstream > 0 ? 'warn' : undefined} />}
        </ul>
        <History />
      </div>
    </Page>
  );
}

interface CardProps {
  readonly href: string;
  readonly name: string;
  readonly value: string;
  readonly tone?: 'warn' | 'bad' | undefined;
  readonly children?: ComponentChildren;
}

function Card({ href, name, value, tone, children }: CardProps) {
  return (
    <li class={tone ? `card ${tone}` : 'card'}>
      <a href={href}>{name}</a>
      <p class="overview-value number">{value}</p>
      <p class="small faint">{children}</p>
    </li>
  );
}

// sum adds up the pools.
function sum(pools: readonly Schemas['Pool'][]) {
  const all = { rate: 0, backlog: 0, oldest: 0, busy: 0, slots: 0, workers: 0 };
  for (const p of pools) {
    all.rate += p.rate;
    all.backlog += p.backlog;
    all.oldest = Math.max(all.oldest, p.backlog > 0 ? p.oldest_seconds : 0);
    all.busy += p.busy;
    all.slots += p.slots;
    all.workers += p.workers;
  }
  return all;
}
