import type { Area } from '../../app/area';

export const inbox: readonly Area[] = [
  { path: '/', load: () => import('./inbox'), roles: ['user', 'approver', 'admin', 'auditor'], nav: { group: 'work', label: (t) => t.inbox.title } },
  { path: '/consents/:id', load: () => import('./consent'), roles: ['user', 'approver', 'admin', 'auditor'] },
];
