// Who uses the console, and what they may do.

import { computed, signal } from '@preact/signals';
import { acting, send, session as hooks, tenant } from '../api/client';
import { forget } from '../api/page';
import { asProblem, type Problem, type SignIn } from '../api/problem';
import { read, write } from '../lib/stored';
import type { Area } from './area';
import { navigate } from './router';

export type Role = 'user' | 'approver' | 'auditor' | 'admin' | 'agent' | 'remote';

// Me answers GET /v1/me.
export interface Me {
  readonly user: string;
  readonly tenant: string;
  readonly roles: readonly Role[];
  readonly authenticated: boolean;
  readonly sign_in: SignIn;
  readonly version?: string;
  readonly name?: string;
  readonly agent?: string;
  readonly session_expires_at?: string;
}

// open is everybody on a server without authentication that has no operation "me".
const open: Me = {
  user: '', tenant: 'default', authenticated: false, sign_in: { oidc: false, key: false },
  roles: ['user', 'approver', 'auditor', 'admin', 'agent', 'remote'],
};

// Other is who is signed in since another tab has signed in somebody else than this one shows.
type State = { readonly me?: Me; readonly problem?: Problem; readonly signIn?: SignIn; readonly other?: string | undefined };

export const state = signal<State>({});

// me is who uses the console; read it only on pages, which are shown to somebody.
export const me = computed<Me>(() => state.value.me ?? open);

// has reports whether the person holds one of the roles.
export function has(...roles: readonly Role[]): boolean {
  return roles.length === 0 || roles.some((r) => me.value.roles.includes(r));
}

// mayOpen reports whether the person may see the pages of an area.
export function mayOpen(of: Pick<Area, 'roles' | 'system'>): boolean {
  return has(...(of.roles ?? [])) && (!of.system || ofSystem());
}

// ofSystem reports whether the person's tenant is the one that may look at and order the system
// that all tenants share.
export function ofSystem(): boolean {
  return (me.value.authenticated ? me.value.tenant : tenant.value || 'default') === 'default';
}

// actor is whose name a decision bears where no credential names a person: without
// authentication a person may say who they are.
export const actor = signal(read('actor'));

export function setActor(name: string): void {
  actor.value = name;
  write('actor', name);
}

export function setTenant(name: string): void {
  tenant.value = name === 'default' ? '' : name;
  write('tenant', tenant.value);
}

// loadMe asks who this is. Without a credential the state has the ways to sign in.
export async function loadMe(): Promise<void> {
  hooks.onOther = (name) => { if (state.value.me) state.value = { ...state.value, other: name }; };
  hooks.onUnauthenticated = (problem) => void ended(problem);
  try {
    signedIn(await whoIs());
  } catch (err) {
    const problem = asProblem(err);
    if (problem.status === 404) signedIn(open);
    else if (problem.status !== 401) state.value = { problem };
  }
}

async function whoIs(): Promise<Me> {
  return (await send('GET', '/v1/me', undefined, { whoever: true })) as Me;
}

let asking = false;

// ended asks who is signed in now. A session ends, too, when another tab begins one: a request that was on its way
// then is refused.
async function ended(problem: Problem): Promise<void> {
  if (asking) return;
  asking = true;
  const shown = state.value.me;
  try {
    const now = shown && (await whoIs());
    if (!now) leave(problem);
    else if (now.user !== shown.user || now.tenant !== shown.tenant) hooks.onOther(now.user || now.name || '');
  } catch (err) {
    if (asProblem(err).status === 401) leave(problem);
  } finally {
    asking = false;
  }
}

function leave(problem: Problem): void {
  acting.value = undefined;
  state.value = { signIn: problem.signIn ?? state.value.signIn ?? { oidc: false, key: true } };
}

export function signedIn(who: Me): void {
  if (!who.authenticated) tenant.value = read('tenant');
  acting.value = who.authenticated ? { user: who.user, tenant: who.tenant } : undefined;
  state.value = { me: who };
}

export async function signOut(): Promise<void> {
  await send('POST', '/logout');
  forget();
  acting.value = undefined;
  const { sign_in } = me.value;
  state.value = { signIn: sign_in };
  navigate('/login');
}
