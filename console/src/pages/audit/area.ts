import type { Area } from '../../app/area';

// One function for both: they are one page.
const load = () => import('./audit');

export const audit: readonly Area[] = [
  { path: '/audit', page: 'audit', load, roles: ['auditor', 'admin'], nav: { group: 'trail', label: (t) => t.audit.title } },
  { path: '/audit/:id', page: 'audit', load, roles: ['auditor', 'admin'] },
];
