// What a person chose on this browser. Where storage is forbidden the choice lasts as long
// as the page.

export function read(name: string): string {
  try {
    return localStorage.getItem(`helve.${name}`) ?? '';
  } catch {
    return '';
  }
}

export function write(name: string, value: string): void {
  try {
    if (value) localStorage.setItem(`helve.${name}`, value);
    else localStorage.removeItem(`helve.${name}`);
  } catch {
    // Forbidden.
  }
}
