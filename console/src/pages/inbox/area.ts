import type { Area } from '../../app/area';

const load = () => import('./inbox');

export const inbox: readonly Area[] = [
  { path: '/', load, nav: { group: 'work', label: (t) => t.inbox.title } },
];
