import type { Area } from '../../app/area';

export const decisions: readonly Area[] = [
  { path: '/decisions', load: () => import('./decisions'), roles: ['auditor', 'admin'], nav: { group: 'trail', label: (t) => t.decisions.title } },
];
