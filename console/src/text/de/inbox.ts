import type { Text } from '../en';

export const inbox: Text['inbox'] = { title: 'Eingang' };
