import type { Area } from '../../app/area';

export const tools: readonly Area[] = [
  { path: '/tools', load: () => import('./tools'), roles: ['user', 'approver', 'admin', 'agent'], nav: { group: 'tools', label: (t) => t.tools.title } },
  { path: '/tools/:name', load: () => import('./tool'), roles: ['user', 'approver', 'admin', 'agent'] },
];
