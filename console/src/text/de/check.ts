import type { Text } from '../en';

export const check: Text['check'] = {
  title: 'Prüfung',
  again: 'Noch einmal prüfen',
  advice: 'Was zu tun ist:',
  runbook: 'Lesen, was es bedeutet und was zu tun ist (auf Englisch)',
  noRunbook: 'Diese Seite gibt es nicht.',
  noRunbookText: 'Die Befunde der Prüfung nennen die Seiten.',
  levels: { ok: 'In Ordnung', warning: 'Warnung', error: 'Fehler' },
  marks: { new: 'Neu', over: 'Vorbei' },
  pace: (seconds) => `Solange Sie hinsehen, wird alle ${seconds} Sekunden geprüft.`,
  looked: 'Zuletzt:',
  found: (n) => `${n.error} Fehler, ${n.warning} ${n.warning === 1 ? 'Warnung' : 'Warnungen'}, ${n.ok} in Ordnung.`,
};
