import type { Area } from '../../app/area';

// One function for both: they are one page.
const load = () => import('./calls');

export const calls: readonly Area[] = [
  { path: '/calls', page: 'calls', load, roles: ['user', 'auditor', 'admin'], nav: { group: 'work', label: (t) => t.calls.title } },
  { path: '/calls/:id', page: 'calls', load },
  { path: '/traces/:id', load: () => import('./trace'), roles: ['user', 'auditor', 'admin'] },
];
