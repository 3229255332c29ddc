import type { Area } from '../../app/area';

export const services: readonly Area[] = [
  { path: '/services', load: () => import('./services'), roles: ['user', 'admin'], nav: { group: 'operate', label: (t) => t.services.title } },
  { path: '/connect/:id', load: () => import('./connecting') },
];
