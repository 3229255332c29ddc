import type { Area } from '../../app/area';

export const agents: readonly Area[] = [
  { path: '/agents', load: () => import('./agents'), roles: ['user', 'auditor', 'admin'], nav: { group: 'tools', label: (t) => t.agents.title } },
];
