import type { Area } from '../../app/area';

// One function for both: they are one page.
const load = () => import('./inbox');

export const inbox: readonly Area[] = [
  { path: '/', page: 'inbox', load, roles: ['user', 'approver', 'admin', 'auditor'], nav: { group: 'work', label: (t) => t.inbox.title } },
  { path: '/consents/:id', page: 'inbox', load, roles: ['user', 'approver', 'admin', 'auditor'] },
];
