import type { Span } from '../../pages/overview/rows';

const number = (n: number) => n.toLocaleString('en');

export const overview = {
  title: 'Overview',
  now: 'Now',
  rate: 'Calls per second',
  backlog: 'Waiting calls',
  oldest: (time: string) => `The oldest waits ${time}`,
  nothingWaits: 'Nothing waits',
  slots: 'Busy slots',
  of: (busy: number, slots: number) => `${number(busy)} of ${number(slots)}`,
  workers: (n: number) => `${number(n)} ${n === 1 ? 'worker' : 'workers'}`,
  consents: 'Waiting requests',
  findings: 'Findings',
  found: (errors: number, warnings: number) => `${number(errors)} ${errors === 1 ? 'error' : 'errors'}, ${number(warnings)} ${warnings === 1 ? 'warning' : 'warnings'}`,
  upstream: 'Definitions to review',
  // The server counts no further than 50.
  atMost: (n: number) => (n >= 50 ? '50+' : number(n)),

  history: 'History',
  range: 'Period',
  spans: { '1h': 'Last hour', '24h': 'Last 24 hours', '7d': 'Last 7 days' } satisfies Record<Span, string>,
  allPools: 'All pools',
  none: 'There are no measurements yet. The first come ten seconds after the start of a dispatcher.',
  throughput: 'Ended calls per second',
  latency: 'Time from accepting to the end',
  succeeded: 'Succeeded',
  failed: 'Failed',
  succeededRate: 'Succeeded per second',
  failedRate: 'Failed per second',
  p50: 'Median',
  p99: '99th percentile',
  waiting: 'Waiting',
  busy: 'Busy',
  all: 'All slots',
  until: 'Until',
  perSecond: (n: number) => `${n.toLocaleString('en', { maximumFractionDigits: 2 })}/s`,
  asTable: 'Show as a table',
};
