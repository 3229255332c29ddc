import type { Area } from '../../app/area';

export const audit: readonly Area[] = [
  { path: '/audit', load: () => import('./audit'), roles: ['auditor', 'admin'], nav: { group: 'trail', label: (t) => t.audit.title } },
];
