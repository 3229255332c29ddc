import type { Text } from '../en';

const number = (n: number) => n.toLocaleString('de');

export const list: Text['list'] = {
  number,
  filters: 'Filter',
  chosenFilters: 'Gewählte Filter',
  remove: 'Filter entfernen:',
  reset: 'Alle Filter entfernen',
  ofLoaded: (n) => `von ${number(n)} geladenen`,
  period: 'Zeitraum',
  periods: { '15m': 'Letzte 15 Minuten', '1h': 'Letzte Stunde', '24h': 'Letzte 24 Stunden', '168h': 'Letzte 7 Tage' },
  yesterday: 'Gestern',
  from: 'Ab',
  to: 'Vor',
  histogram: (n, bad, from, to) => `${number(n)} von ${from} bis ${to}, davon ${number(bad)} fehlgeschlagen. Ziehen Sie, um einen Teil zu wählen, oder nehmen Sie den Filter Zeitraum.`,
  for: 'für',
  back: (title) => `Zurück zu: ${title}`,
  select: 'Auswählen:',
  selectAll: (n) => `Alle ${number(n)} auswählen`,
  selected: (n) => `${number(n)} ausgewählt`,
  groups: 'Gleichartiges auswählen',
  leftOut: (n) => `${number(n)} ${n === 1 ? 'lässt' : 'lassen'} sich so nicht entscheiden und ${n === 1 ? 'bleibt' : 'bleiben'} offen.`,
  failedOf: (n, all) => `${number(n)} von ${number(all)} sind fehlgeschlagen.`,
  saved: 'Gespeicherte Filter', noneSaved: 'Keine Filter sind gespeichert.', toSave: 'Wählen Sie Filter, um sie zu speichern.', savedName: 'Gewählte Filter speichern als', save: 'Speichern', forget: 'Löschen:',
  savedFull: (n) => `${number(n)} sind gespeichert, und mehr gehen nicht. Löschen Sie erst welche.`,
  outcomes: {
    success: 'Erfolg', failed: 'Fehler', denied: 'Abgelehnt', cancelled: 'Abgebrochen', timed_out: 'Zeit abgelaufen', unknown: 'Ausgang unbekannt', expired: 'Abgelaufen',
    queued: 'In der Schlange', running: 'Läuft', waits: 'Wartet auf eine Person', granted: 'Erlaubt', noted: 'Festgehalten',
  },
};
