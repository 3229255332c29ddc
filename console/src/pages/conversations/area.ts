import type { Area } from '../../app/area';

// One function for both: they are one page, in the file of the calls, of which it needs most.
const load = () => import('../calls/calls').then((m) => ({ default: m.Conversation }));
const roles = ['user', 'auditor', 'admin'] as const;

export const conversations: readonly Area[] = [
  { path: '/conversations/:id', page: 'conversation', load, roles },
  { path: '/conversations/:id/:call', page: 'conversation', load, roles },
];
