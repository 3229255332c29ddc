import type { Area } from '../../app/area';

export const fleet: readonly Area[] = [
  { path: '/fleet', load: () => import('./fleet'), roles: ['auditor', 'admin'], nav: { group: 'operate', label: (t) => t.fleet.title } },
];
