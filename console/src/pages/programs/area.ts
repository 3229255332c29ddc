import type { Area } from '../../app/area';

// One function for both: they are one page.
const load = () => import('./programs');

export const programs: readonly Area[] = [
  { path: '/programs', page: 'programs', load, roles: ['user', 'auditor', 'admin'], nav: { group: 'work', label: (t) => t.programs.title } },
  { path: '/programs/:id', page: 'programs', load },
];
