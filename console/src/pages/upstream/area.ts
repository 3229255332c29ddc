import type { Area } from '../../app/area';

export const upstream: readonly Area[] = [
  { path: '/upstream', load: () => import('./upstream'), roles: ['admin'], nav: { group: 'tools', label: (t) => t.upstream.title } },
];
