import type { Area } from '../../app/area';

export const grants: readonly Area[] = [
  { path: '/grants', load: () => import('./grants'), roles: ['user', 'approver', 'admin'], nav: { group: 'trail', label: (t) => t.grants.title } },
];
