// Whether requests are pushed to this device, and the switch for it.

import { api } from '../api/client';
import { actor, me } from '../app/session';

// State is how it stands: off and on can be switched, the others say why not.
export type State = 'off' | 'on' | 'nobody' | 'insecure' | 'install' | 'unsupported' | 'denied';

// user is whose requests are pushed. Without authentication a person says who they are.
const user = () => (me.value.authenticated ? me.value.user : actor.value);

// named is the parameter that names the person where no credential does.
const named = () => (me.value.authenticated ? {} : { user: actor.value });

// obstacle returns why this browser cannot be notified at all.
export function obstacle(): State | undefined {
  if (!isSecureContext) return 'insecure';
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window)) {
    // Safari on a phone can only push to pages that were added to the home screen; it alone has this member.
    return 'standalone' in navigator && !navigator.standalone ? 'install' : 'unsupported';
  }
  if (user() === '') return 'nobody';
  return Notification.permission === 'denied' ? 'denied' : undefined;
}

async function subscribed(): Promise<PushSubscription | null> {
  const worker = await navigator.serviceWorker.getRegistration('/');
  return (await worker?.pushManager.getSubscription()) ?? null;
}

// state returns how it stands. A device that somebody else has switched on is off for this person.
export async function state(): Promise<State> {
  const why = obstacle();
  if (why) return why;
  const here = await subscribed();
  if (!here) return 'off';
  const { devices } = await api.get('/v1/push', { query: named() });
  return devices.some((d) => d.endpoint === here.endpoint) ? 'on' : 'off';
}

// turnOn subscribes this device for the person. The question of the browser comes first, because it
// needs the click.
export async function turnOn(): Promise<State> {
  if ((await Notification.requestPermission()) !== 'granted') return state();
  const { key } = await api.get('/v1/push/key', {});
  await navigator.serviceWorker.register('/sw.js', { scope: '/', updateViaCache: 'none' });
  const worker = await navigator.serviceWorker.ready;
  // A subscription of somebody else, or for another key, is not taken over.
  await (await worker.pushManager.getSubscription())?.unsubscribe();
  const here = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(key) });
  try {
    const { endpoint, keys } = here.toJSON() as { endpoint: string; keys: { p256dh: string; auth: string } };
    await api.post('/v1/push', { body: { endpoint, keys, ...named() } });
  } catch (err) {
    await here.unsubscribe();
    throw err;
  }
  return 'on';
}

// turnOff ends it. Without the browser's subscription the push service takes nothing more, so
// that comes first.
export async function turnOff(): Promise<State> {
  const here = await subscribed();
  if (here) {
    await here.unsubscribe();
    await api.delete('/v1/push', { query: { endpoint: here.endpoint, ...named() } });
  }
  return 'off';
}

// leave is turnOff for somebody who signs out: what they are asked is not for the next person.
export async function leave(): Promise<void> {
  if (obstacle()) return;
  await turnOff().catch(() => undefined);
}

// settled closes the notification of a request that is decided.
export async function settled(consent: string): Promise<void> {
  if (obstacle()) return;
  const worker = await navigator.serviceWorker.getRegistration('/');
  for (const shown of (await worker?.getNotifications({ tag: consent })) ?? []) shown.close();
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replace(/-/g, '+').replace(/_/g, '/'));
  return Uint8Array.from(text, (c) => c.charCodeAt(0));
}

declare global {
  interface Navigator { readonly standalone?: boolean }
}
