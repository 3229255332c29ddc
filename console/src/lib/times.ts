// Whether times have date and clock beside "3 minutes ago". The program sets it for its reader.

import { signal } from '@preact/signals';

export const exact = signal(false);
