import type { Period } from '../../pages/decisions/decisions';

const number = (n: number) => n.toLocaleString('en');

export const decisions = {
  title: 'Decisions',
  csv: 'Save as CSV',
  period: 'Period',
  periods: { '24h': 'Last 24 hours', '7d': 'Last 7 days', '31d': 'Last 31 days' } satisfies Record<Period, string>,
  empty: 'Nobody decided anything in this time.',
  deciders: 'Who decided',
  decisions: 'All decisions',
  newest: (n: number) => `Only the newest ${number(n)} decisions are shown.`,
  number,
  by: 'Decided by',
  at: 'Time',
  outcome: 'Decision',
  allowed: 'Allowed',
  blocked: 'Not allowed',
  waited: 'After',
  median: 'Median time to decide',
  user: 'For the person',
  agent: 'Agent',
  tool: 'Tool',
};
