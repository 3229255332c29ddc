import type { Area } from '../../app/area';

export const calls: readonly Area[] = [
  { path: '/calls', load: () => import('./calls'), roles: ['user', 'auditor', 'admin'], nav: { group: 'work', label: (t) => t.calls.title } },
  { path: '/calls/:id', load: () => import('./call') },
  { path: '/traces/:id', load: () => import('./trace'), roles: ['user', 'auditor', 'admin'] },
];
