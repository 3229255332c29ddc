import type { Problem } from '../../api/problem';
import type { Role } from '../../app/session';
import type { Kind } from '../../lib/visible';

export const common = {
  close: 'Close',
  cancel: 'Cancel',
  retry: 'Try again',
  loading: 'Loading',
  all: 'All',
  search: 'Search',
  more: 'Show more',
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'The browser does not allow copying here.',
  notFound: 'Not found',
  notFoundText: 'There is no page at this address:',
  toInbox: 'Go to the inbox',
  goTo: 'Go to:',
  needsTenant: 'This page is about the system of all tenants. It needs a person of the tenant default.',
  forbidden: 'Not allowed',
  needsRole: (roles: readonly string[]) => `This page needs the role ${roles.join(' or ')}.`,
  stale: (why: string) => `What you see may be old. ${why}`,
  otherTitle: 'Somebody else is signed in',
  other: (shown: string, now: string) => `This page shows ${shown}, but ${now} has signed in in another tab of this browser. Nothing was done.`,
  goOnAs: (now: string) => `Go on as ${now}`,
};

export const roles: Record<Role, string> = {
  user: 'user', approver: 'approver', auditor: 'auditor', admin: 'admin', agent: 'agent', remote: 'remote',
};

export const nav = {
  skip: 'Skip to the content',
  label: 'Main',
  menu: 'Menu',
  waiting: 'waiting',
  preferences: 'Settings',
  theme: 'Theme',
  themeSystem: 'As the system',
  themeLight: 'Light',
  themeDark: 'Dark',
  language: 'Language',
  times: 'Times',
  timesRelative: 'How long ago',
  timesBoth: 'How long ago, with date and clock',
  signOut: 'Sign out',
  nobody: 'Nobody signed in',
  notice: 'Notice',
  open: 'No authentication: every process on this machine may do everything here.',
  actor: 'Your name',
  actorHint: 'Decisions bear it. If it is empty, they bear the name of the person who is asked.',
  tenant: 'Tenant',
  groups: { work: 'Work', tools: 'Tools', operate: 'Operate', trail: 'Trail' },
};

export const login = {
  title: 'Sign in',
  key: 'API key',
  withKey: 'Sign in with the key',
  oidc: 'Sign in',
  already: 'You are signed in.',
  open: 'This Helve has no authentication.',
  go: 'Continue',
  none: 'This Helve offers no way to sign in with a browser. An operator sets up keys or OpenID Connect.',
  errors: {
    denied: 'The sign-in was refused.',
    expired: 'The sign-in took too long or was used before. Start again.',
    refused: 'You are signed in, but this Helve knows no tenant, user or role for you. Ask its operator.',
    unavailable: 'The sign-in service does not answer now. Try again later.',
  } as Record<string, string>,
};

export const plain = {
  left: (n: number) => `… ${n.toLocaleString('en')} more characters`,
  less: 'Show less',
  more: (n: number) => `Show ${n.toLocaleString('en')} more`,
  same: 'No difference.',
  sameLines: (n: number) => `${n.toLocaleString('en')} unchanged lines`,
  added: ' added: ',
  removed: ' removed: ',
  kinds: {
    control: 'control character', direction: 'changes the direction of the text', invisible: 'invisible character', lookalike: 'looks like another letter',
  } satisfies Record<Kind, string>,
};

export const time = { over: 'expired' };

export const status: Record<string, string> = {
  success: 'Success', error: 'Failed', pending: 'Waiting', queued: 'Queued', running: 'Running', awaiting_consent: 'Waits for a person', waiting: 'Program waits', done: 'Done',
  granted: 'Granted', denied: 'Denied', expired: 'Expired', cancelled: 'Cancelled', refused: 'Refused', ok: 'OK', warning: 'Warning', outcome_unknown: 'Outcome unknown',
};

export const risk: Record<string, string> = { low: 'Low risk', medium: 'Medium risk', high: 'High risk' };

export const riskMeans: Record<string, string> = {
  low: 'Stays in the workspace and can be undone',
  medium: 'Destroys something or reaches outside',
  high: 'Runs code',
};

// problems says why a request failed. The sentence of the server is shown if it has one.
export function problems(p: Problem): string {
  if (p.type === 'unreachable') return 'Helve does not answer. The page tries again by itself.';
  if (p.message) return p.message;
  return p.status ? `The request failed (${p.status}).` : 'The request failed.';
}
