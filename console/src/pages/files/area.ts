import type { Area } from '../../app/area';

// One function for both: they are one page.
const load = () => import('./files');
const roles = ['user', 'admin'] as const;

export const files: readonly Area[] = [
  { path: '/files', page: 'files', load, roles, nav: { group: 'work', label: (t) => t.files.title } },
  { path: '/files/:path', page: 'files', load, roles },
];
