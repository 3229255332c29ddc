import type { Outcome } from '../../components/list/outcome';

const number = (n: number) => n.toLocaleString('en');

export const list = {
  number,
  filters: 'Filters',
  chosenFilters: 'Chosen filters',
  remove: 'Remove the filter',
  reset: 'Remove all filters',
  ofLoaded: (n: number) => `of the ${number(n)} loaded`,
  period: 'Period',
  periods: { '15m': 'Last 15 minutes', '1h': 'Last hour', '24h': 'Last 24 hours', '168h': 'Last 7 days' },
  yesterday: 'Yesterday',
  from: 'From',
  to: 'Before',
  histogram: (n: number, bad: number, from: string, to: string) => `${number(n)} from ${from} to ${to}, ${number(bad)} of them failed. Drag to choose a part, or use the filter Period.`,
  for: 'for',
  back: (title: string) => `Back to: ${title}`,
  select: 'Select:',
  selectAll: (n: number) => `Select all ${number(n)}`,
  selected: (n: number) => `${number(n)} selected`,
  groups: 'Select what is alike',
  leftOut: (n: number) => `${number(n)} cannot be decided this way and ${n === 1 ? 'is' : 'are'} left out.`,
  failedOf: (n: number, all: number) => `${number(n)} of ${number(all)} failed.`,
  saved: 'Saved filters', noneSaved: 'No filters are saved.', toSave: 'Choose filters to save them.', savedName: 'Save the chosen filters as', save: 'Save', forget: 'Delete',
  savedFull: (n: number) => `${number(n)} are saved, and no more can be. Delete some first.`,
  outcomes: {
    success: 'Success', failed: 'Failed', denied: 'Denied', cancelled: 'Cancelled', timed_out: 'Timed out', unknown: 'Outcome unknown', expired: 'Expired',
    queued: 'Queued', running: 'Running', waits: 'Waits for a person', granted: 'Granted', noted: 'Recorded',
  } satisfies Record<Outcome, string>,
};
