import type { Text } from '../en';

export const check: Text['check'] = {
  title: 'Prüfung',
  again: 'Noch einmal prüfen',
  advice: 'Was zu tun ist:',
  levels: { ok: 'In Ordnung', warning: 'Warnung', error: 'Fehler' },
  found: (n) => `${n.error} Fehler, ${n.warning} ${n.warning === 1 ? 'Warnung' : 'Warnungen'}, ${n.ok} in Ordnung.`,
};
