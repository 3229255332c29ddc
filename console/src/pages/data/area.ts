import type { Area } from '../../app/area';

export const data: readonly Area[] = [
  { path: '/data', load: () => import('./data'), roles: ['user', 'admin'], nav: { group: 'trail', label: (t) => t.data.title } },
];
