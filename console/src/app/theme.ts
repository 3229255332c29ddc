// Light and dark: the system's, unless a person chose one.

import { signal } from '@preact/signals';
import { read, write } from '../lib/stored';

export type Theme = '' | 'light' | 'dark';

export const theme = signal<Theme>(read('theme') as Theme);

export function setTheme(to: Theme): void {
  theme.value = to;
  write('theme', to);
  if (to) document.documentElement.dataset['theme'] = to;
  else delete document.documentElement.dataset['theme'];
}
