import type { Text } from '../en';

const number = (n: number) => n.toLocaleString('de');

export const decisions: Text['decisions'] = {
  title: 'Entscheidungen',
  csv: 'Als CSV speichern',
  period: 'Zeitraum',
  periods: { '24h': 'Letzte 24 Stunden', '7d': 'Letzte 7 Tage', '31d': 'Letzte 31 Tage' },
  empty: 'In dieser Zeit hat niemand etwas entschieden.',
  deciders: 'Wer entschieden hat',
  decisions: 'Alle Entscheidungen',
  newest: (n) => `Nur die neuesten ${number(n)} Entscheidungen sind zu sehen.`,
  number,
  by: 'Entschieden von',
  at: 'Zeit',
  outcome: 'Entscheidung',
  allowed: 'Erlaubt',
  blocked: 'Nicht erlaubt',
  waited: 'Nach',
  median: 'Mittlere Zeit bis zur Entscheidung',
  user: 'Für die Person',
  agent: 'Agent',
  tool: 'Werkzeug',
};
