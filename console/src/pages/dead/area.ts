import type { Area } from '../../app/area';

export const dead: readonly Area[] = [
  { path: '/dead', load: () => import('./dead'), roles: ['auditor', 'admin'], nav: { group: 'operate', label: (t) => t.dead.title } },
];
