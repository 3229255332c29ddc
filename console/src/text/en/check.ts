import type { Counts } from '../../pages/check/order';

export const check = {
  title: 'Check',
  again: 'Check again',
  advice: 'What to do:',
  levels: { ok: 'In order', warning: 'Warning', error: 'Error' },
  found: (n: Counts) => `${n.error} ${n.error === 1 ? 'error' : 'errors'}, ${n.warning} ${n.warning === 1 ? 'warning' : 'warnings'}, ${n.ok} in order.`,
};
