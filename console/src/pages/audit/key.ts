// The public keys of the seals, and their ids.

export interface Key {
  readonly pem: string;
  readonly id: string;
}

// The last bytes of an Ed25519 key in PEM are the key itself.
const length = 32;

// keysOf returns the keys of a text in PEM, each with the id that seals name it by: the first
// eight bytes of its SHA-256 hash.
export async function keysOf(text: string): Promise<Key[]> {
  const blocks = text.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? [];
  return Promise.all(blocks.map(async (pem) => {
    const der = Uint8Array.from(atob(pem.replace(/-----[^-]+-----|\s/g, '')), (c) => c.charCodeAt(0));
    const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', der.slice(-length)));
    return { pem, id: Array.from(sum.slice(0, 8), (b) => b.toString(16).padStart(2, '0')).join('') };
  }));
}
