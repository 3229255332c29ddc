import type { Area } from '../../app/area';

export const check: readonly Area[] = [
  { path: '/check', load: () => import('./check'), roles: ['auditor', 'admin'], system: true, nav: { group: 'operate', label: (t) => t.check.title } },
  { path: '/check/:runbook', load: () => import('./runbook'), roles: ['auditor', 'admin'] },
];
