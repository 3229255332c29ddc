import type { Area } from '../../app/area';

export const policy: readonly Area[] = [
  { path: '/policy', load: () => import('./policy'), roles: ['auditor', 'admin'], nav: { group: 'trail', label: (t) => t.policy.title } },
];
