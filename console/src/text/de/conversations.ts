import type { Text } from '../en';

export const conversations: Text['conversations'] = {
  title: 'Gespräch',
  link: 'Link für andere',
  began: 'Begonnen',
  span: 'Vom ersten bis zum letzten',
  ran: 'Werkzeuge liefen',
  granted: 'erlaubt von',
  denied: 'abgelehnt von',
  earlier: 'Frühere Aufrufe zeigen',
  empty: 'Keine Aufrufe.',
  emptyText: 'Von diesem Gespräch ist kein Aufruf bekannt, den Sie sehen dürfen.',
};
