import type { Area } from '../../app/area';

export const overview: readonly Area[] = [
  { path: '/overview', load: () => import('./overview'), roles: ['auditor', 'admin'], nav: { group: 'operate', label: (t) => t.overview.title } },
  { path: '/home', load: () => import('./home') },
];
