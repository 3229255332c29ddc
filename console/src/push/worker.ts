// The service worker: it shows a pushed request as a notification, and opens its page. It keeps
// nothing, answers no request of pages and makes none of its own.

// Notice is what the server pushes (internal/server/push/notice.go).
interface Notice {
  readonly consent_id: string;
  readonly title: string;
  readonly body: string;
  readonly lang: string;
  readonly path: string;
}

interface Waiting { waitUntil(done: Promise<unknown>): void }
interface Pushed extends Waiting { readonly data: { json(): unknown } | null }
interface Clicked extends Waiting { readonly notification: Notification }
interface Page { readonly url: string; focus(): Promise<unknown> }

// The parts of the global scope of a service worker that are used; TypeScript has it only
// in place of the one of pages.
declare const self: {
  readonly location: Location;
  readonly registration: ServiceWorkerRegistration;
  readonly clients: { matchAll(of: { type: 'window'; includeUncontrolled: true }): Promise<readonly Page[]>; openWindow(url: string): Promise<unknown> };
  addEventListener(type: 'push', then: (e: Pushed) => void): void;
  addEventListener(type: 'notificationclick', then: (e: Clicked) => void): void;
};

self.addEventListener('push', (e) => e.waitUntil(show(noticeOf(e.data))));

self.addEventListener('notificationclick', (e) => {
  e.notification.close();
  e.waitUntil(open((e.notification.data as { path: string }).path));
});

// A browser withdraws the permission of a worker that shows nothing, so an unreadable message is
// shown, too.
function noticeOf(data: Pushed['data']): Notice {
  try {
    return data?.json() as Notice;
  } catch {
    return { consent_id: '', title: 'Helve', body: '', lang: 'en', path: '/' };
  }
}

// The tag makes a request that is pushed twice one notification.
function show(n: Notice): Promise<void> {
  return self.registration.showNotification(n.title, {
    body: n.body, lang: n.lang, tag: n.consent_id, icon: '/icon-192.png', data: { path: n.path },
  });
}

// open goes to the page of a request: to one that shows it already, or a new one. It sends no
// other page there, which may hold an answer that somebody has begun to write.
async function open(path: string): Promise<void> {
  const url = new URL(path, self.location.origin).href;
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const shown = pages.find((p) => p.url === url);
  await (shown ? shown.focus() : self.clients.openWindow(url));
}

export {};
