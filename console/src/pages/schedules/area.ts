import type { Area } from '../../app/area';

// One function for both: they are one page.
const load = () => import('./schedules');
const roles = ['user', 'auditor', 'admin'] as const;

export const schedules: readonly Area[] = [
  { path: '/schedules', page: 'schedules', load, roles, nav: { group: 'work', label: (t) => t.schedules.title } },
  { path: '/schedules/:id', page: 'schedules', load, roles },
];
