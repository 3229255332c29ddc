import type { Area } from '../../app/area';

export const custom: readonly Area[] = [
  { path: '/custom-tools', load: () => import('./custom'), roles: ['user', 'approver', 'auditor', 'admin'], nav: { group: 'tools', label: (t) => t.custom.title } },
];
