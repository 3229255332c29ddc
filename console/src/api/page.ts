// The secret of the pages of this origin. The server binds a session to it, and to a cookie:
// only pages of this very origin can read the secret, while browsers send a cookie to every
// port of a host and take it from any.

import { read, write } from '../lib/stored';

// Where storage is forbidden the secret lasts as long as the page.
let own = '';

// page returns the secret, which is made when it is first needed.
export function page(): string {
  const stored = read('page');
  if (stored) return stored;
  own ||= [...crypto.getRandomValues(new Uint8Array(32))].map((b) => b.toString(16).padStart(2, '0')).join('');
  write('page', own);
  return own;
}

// forget makes the next session have another secret.
export function forget(): void {
  own = '';
  write('page', '');
}
