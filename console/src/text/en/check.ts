import type { Counts } from '../../pages/check/order';

export const check = {
  title: 'Check',
  again: 'Check again',
  advice: 'What to do:',
  runbook: 'Read what it means and what to do',
  noRunbook: 'There is no such page.',
  noRunbookText: 'The pages are named by the findings of the check.',
  levels: { ok: 'In order', warning: 'Warning', error: 'Error' },
  marks: { new: 'New', over: 'Over' },
  pace: (seconds: number) => `While you look, it checks again every ${seconds} seconds.`,
  looked: 'Last:',
  found: (n: Counts) => `${n.error} ${n.error === 1 ? 'error' : 'errors'}, ${n.warning} ${n.warning === 1 ? 'warning' : 'warnings'}, ${n.ok} in order.`,
};
