import type { Area } from '../../app/area';

// One function for both: they are one page.
const load = () => import('./dead');

export const dead: readonly Area[] = [
  { path: '/dead', page: 'dead', load, roles: ['auditor', 'admin'], nav: { group: 'operate', label: (t) => t.dead.title } },
  { path: '/dead/:seq', page: 'dead', load, roles: ['auditor', 'admin'] },
];
